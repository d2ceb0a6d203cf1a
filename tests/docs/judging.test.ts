import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/load.js';
import { judgeConfigs } from '../../src/kinds/judge/config.js';
import type { JudgeMetrics } from '../../src/kinds/judge/contracts.js';
import { readVerdict } from '../../src/kinds/judge/judging/verdict.js';
import { criterionSchema, judgeConfigSchema, rubricSchema } from '../../src/kinds/judge/schema.js';
import { parseScript } from '../../src/language-models/script-file.js';
import { experimentOf, judgeWorld } from '../activities/judge-support.js';
import { verdictText } from '../kinds/judge/judging/support.js';
import { episode } from '../trajectories/support.js';

const page = readFileSync('docs/judging.md', 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| `'));

/** The names in the first cell of the rows. */
const named = rows.flatMap((row) =>
  [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
);

test.each([
  ...Object.keys(rubricSchema.shape),
  ...Object.keys(criterionSchema.shape).map((name) => `criteria.${name}`),
  ...Object.keys(judgeConfigSchema.shape),
])('the page on judging has a row for %s', (name) => {
  expect(named).toContain(name);
});

test('it names every figure of a judgement', async () => {
  const world = judgeWorld(experimentOf(episode('a', [1])), () => verdictText());
  const metrics: JudgeMetrics = await world.finalize(await world.prepare());
  expect(Object.keys(metrics).filter((name) => !named.includes(name))).toEqual([]);
});

test('the rubric that is shipped is one, and its scripted judge answers by it at the second try', () => {
  const { rubric } = resolveConfig(
    judgeConfigs,
    { experiment: 'results/x', rubric: 'examples/judge/rubric.yaml', lm: 'openai/x' },
    { source: 'the example', folder: process.cwd() },
  );
  expect(rubric).toMatchObject({ name: 'teacher', show_reward: false });
  const path = 'examples/judge/replies.yaml';
  const [rule] = parseScript(readFileSync(path, 'utf8'), path);
  expect(rule?.replies.map(({ text }) => readVerdict(text, rubric.criteria).ok)).toEqual([false, true]);
});
