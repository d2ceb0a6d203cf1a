import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { loadConfig, runInProcess } from '../../src/in-process/index.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reprise-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function init(...words: string[]) {
  const command = [resolve('dist/cli/main.js'), 'init', ...words];
  const { stdout, stderr, status } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
  return { out: stdout + stderr, status };
}

const FILES = ['.gitignore', 'experiment.yaml', 'questions.jsonl'];

test('what is written runs as it is', async () => {
  const { out, status } = init();
  expect(status, out).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(FILES);
  const { metrics, rows } = await runInProcess(loadConfig(join(folder, 'experiment.yaml')));
  expect(metrics).toMatchObject({ name: 'experiment', status: 'done', samples: 8, episodes: 24, errors: 0 });
  expect(metrics.mean_over_trials).toBeGreaterThan(0);
  expect(metrics.mean_over_trials).toBeLessThan(1);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(8);
});

test('the real model in its comments is one that a config may name', () => {
  init();
  const path = join(folder, 'experiment.yaml');
  const text = readFileSync(path, 'utf8')
    .replace(/^ {2}model: simulated.*\n/m, '')
    .replace(/^( {2})# (model|base_url):/gm, '$1$2:')
    .replace(/^# limits:/m, 'limits:');
  writeFileSync(path, text);
  expect(loadConfig(path)).toMatchObject({
    lm: { provider: 'openai', model: 'gpt-4.1-mini', base_url: 'http://127.0.0.1:11434/v1' },
    limits: { max_cost_usd: 1 },
  });
});

test('the next commands begin in the folder, whatever its name', () => {
  const { out } = init("it's new");
  expect(out).toContain("Next: cd 'it'\\''s new' && npx reprise run experiment.yaml\n");
  expect(readdirSync(join(folder, "it's new")).sort()).toEqual(FILES);
});

test.each(['experiment.yaml', 'questions.jsonl'])('nothing is written where %s is there already', (name) => {
  writeFileSync(join(folder, name), 'mine');
  expect(init()).toEqual({ status: 2, out: `${name} is there already; choose another folder\n` });
  expect(readdirSync(folder)).toEqual([name]);
  expect(readFileSync(join(folder, name), 'utf8')).toBe('mine');
});

test('a .gitignore that is there already is kept, and what it lacks is said', () => {
  writeFileSync(join(folder, '.gitignore'), 'mine\n');
  const { out, status } = init('.');
  expect(status).toBe(0);
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('mine\n');
  expect(out).toContain('.gitignore is kept as it is; add to it: results/ .reprise/ .env node_modules/');
});

test('a file in the place of the folder is refused', () => {
  writeFileSync(join(folder, 'taken'), '');
  expect(init('taken')).toMatchObject({ status: 2, out: expect.stringContaining('taken cannot be made') });
});
