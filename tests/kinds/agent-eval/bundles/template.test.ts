import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { writeTemplate } from '../../../../src/cli/write-template.js';
import { BUNDLE_TEMPLATE } from '../../../../src/kinds/agent-eval/bundles/template.js';
import { fencesOf } from '../../../docs/markdown.js';
import { bundleFolder } from './support.js';

const shown = fencesOf('docs/bundles.md').flatMap(({ before, language, content }) => {
  const name = /^<!-- part of: (.*) -->$/.exec(before)?.[1];
  return name === undefined ? [] : [{ name, language, content }];
});

test('the documents show parts of the bundle that is written to start from', () => {
  expect(shown.map(({ name }) => name)).toEqual(['tools.ts', 'reward.ts', 'task.jsonl', 'reward.test.ts']);
});

test.each(shown)('$name holds what is shown of it', ({ name, language, content }) => {
  const text = BUNDLE_TEMPLATE[name] ?? '';
  if (language !== 'json') expect(text).toContain(content);
  else {
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(rows).toContainEqual(expect.objectContaining(JSON.parse(content)));
  }
});

test('what a folder has beside a bundle stays', async () => {
  const folder = bundleFolder({ '.gitignore': 'mine' });
  const written = await writeTemplate(folder, BUNDLE_TEMPLATE);
  expect(written.map((path) => basename(path))).toEqual(
    Object.keys(BUNDLE_TEMPLATE).filter((name) => name !== '.gitignore'),
  );
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('mine');
  await expect(writeTemplate(folder, BUNDLE_TEMPLATE)).rejects.toThrow('tools.ts is there already');
});

test('its tests pass outside of a checkout, and fail where the reward is wrong', async () => {
  const folder = bundleFolder({});
  await writeTemplate(folder, BUNDLE_TEMPLATE);
  const run = () =>
    spawnSync(process.execPath, [resolve('dist/cli/main.js'), 'bundle', 'test', '.'], { cwd: folder });
  const passing = run();
  expect(passing.stdout.toString()).toMatch(/pass 3/);
  expect(passing.status).toBe(0);
  const reward = join(folder, 'reward.ts');
  writeFileSync(reward, readFileSync(reward, 'utf8').replace('done ? 1 : 0', '1'));
  expect(run().status).toBe(1);
});

test('its files have the types that they say', { timeout: 120_000 }, async () => {
  const folder = bundleFolder({});
  await writeTemplate(folder, BUNDLE_TEMPLATE);
  const paths = {
    'reprise/bundle': [resolve('dist/kinds/agent-eval/bundles/index.d.ts')],
    'reprise/bundle/testing': [resolve('dist/kinds/agent-eval/workbench/try-row.d.ts')],
  };
  const compilerOptions = { paths, types: ['node'], typeRoots: [resolve('node_modules/@types')] };
  writeFileSync(join(folder, 'here.json'), JSON.stringify({ extends: './tsconfig.json', compilerOptions }));
  const { stdout, status } = spawnSync('npx', ['tsc', '-p', join(folder, 'here.json')]);
  expect(stdout.toString()).toBe('');
  expect(status).toBe(0);
});
