import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { COMMAND } from '../support/workplace.js';

const folder = mkdtempSync(join(tmpdir(), 'reprise-json-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a command prints in a folder where nothing was ever started. */
function printed(args: string[]) {
  const { PATH = '' } = process.env;
  const env = { PATH, REPRISE_SERVER_DIR: join(folder, '.reprise'), HOME: folder };
  return spawnSync(process.execPath, [COMMAND, ...args], { cwd: folder, env, encoding: 'utf8' });
}

test.each([
  ['status', 'no run was started in'],
  ['status gone', 'no run was started in'],
  ['run gone.yaml', 'there is no such file'],
  ['agent-eval gone.yaml', 'there is no such file'],
  ['score gone', "there is no finished run 'gone'"],
  ['status --jsno', 'unknown option'],
])('reprise %s --json prints JSON, also where it has no result', (command, message) => {
  const { status, stdout, stderr } = printed([...command.split(' '), '--json']);
  expect(status).toBe(2);
  const { error } = JSON.parse(stdout);
  expect(error).toEqual({ message: expect.stringContaining(message), exit_code: 2 });
  expect(stderr).toContain(message);
});

test('what a user’s own code prints is no part of it, in whichever thread that runs', () => {
  expect(printed(['bundle', 'new', 'noisy'])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Next:'),
  });
  const tools = join(folder, 'noisy', 'tools.ts');
  const noise = 'console.log("logged"); console.info("told"); process.stdout.write("written\\n");\n';
  writeFileSync(tools, noise + readFileSync(tools, 'utf8'));
  const { status, stdout, stderr } = printed(['bundle', 'check', 'noisy', '--json']);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ proven_solvable: 2 });
  for (const words of ['logged', 'told', 'written']) expect(stderr).toContain(words);
});

test('without --json nothing but the sentence is printed', () => {
  expect(printed(['status'])).toMatchObject({ status: 2, stdout: '' });
});
