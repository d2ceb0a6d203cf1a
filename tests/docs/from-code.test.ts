import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  DEFAULT_TASK_QUEUE,
  FAILURE_TYPES,
  MAX_CONCURRENCY,
  QUERIES,
  SEARCH_ATTRIBUTES,
  UPDATES,
} from '../../src/client/index.js';
import { KINDS } from '../../src/kinds/registry.js';
import { fencesOf } from './markdown.js';

const page = readFileSync('docs/from-code.md', 'utf8');

describe('docs/from-code.md', () => {
  const table = page
    .slice(page.indexOf('## From other languages'))
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n');

  test.each([
    DEFAULT_TASK_QUEUE,
    ...KINDS.map(({ id }) => id),
    ...Object.values({ ...QUERIES, ...UPDATES, ...SEARCH_ATTRIBUTES }),
    FAILURE_TYPES.invalidInput,
    FAILURE_TYPES.runFailed,
  ])('lists the name `%s` for other languages', (name) => {
    expect(table).toContain(`\`${name}\``);
  });

  test('says how large a concurrency may be', () => {
    expect(table).toContain(`from 1 to ${MAX_CONCURRENCY}`);
  });
});

const run = promisify(execFile);

/** Runs a program of the page in a folder with the shipped configs. */
async function ran(name: string): Promise<{ stdout: string; folder: string }> {
  const fence = fencesOf('docs/from-code.md').find(({ before }) => before === `<!-- file: ${name} -->`);
  const folder = await mkdtemp(join(tmpdir(), 'reprise-docs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp('configs', join(folder, 'configs'), { recursive: true });
  await writeFile(join(folder, name), fence?.content ?? '');
  // The paths that the package's `exports` give, for a file outside of the package.
  const alias = {
    reprise: resolve('dist/index.js'),
    'reprise/in-process': resolve('dist/in-process/index.js'),
  };
  const program = [resolve('node_modules/jiti/lib/jiti-cli.mjs'), join(folder, name)];
  const env = { ...process.env, JITI_ALIAS: JSON.stringify(alias) };
  const { stdout } = await run(process.execPath, program, { cwd: folder, env });
  return { stdout, folder };
}

describe('the programs of docs/from-code.md', () => {
  test('by-hand.ts composes a run', async () => {
    const { stdout } = await ran('by-hand.ts');
    expect(stdout).toMatch(/^accuracy (0|0\.5|1) of 2, 6 entries, 2 calls$/m);
  });

  test('log.ts writes what its run logs, and its own line', async () => {
    const { stdout, folder } = await ran('log.ts');
    const lines = readFileSync(join(folder, 'results/study.log'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({
      component: 'study.toy.experiment',
      study: 'first',
      msg: 'run prepared',
    });
    expect(lines.at(-1)).toMatchObject({ component: 'study', study: 'first', accuracy: 0.5, msg: 'done' });
    expect(stdout.trimEnd().split('\n')).toHaveLength(lines.length);
  });
});
