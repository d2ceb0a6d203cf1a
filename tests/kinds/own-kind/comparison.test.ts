import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { addCompareCommand } from '../../../src/cli/compare.js';
import type { Comparison } from '../../../src/client/compare.js';
import { experimentInProcess } from '../../../src/in-process/experiment.js';
import { inTerminal } from '../../cli/in-terminal.js';
import { resultsFolder } from '../../support/compared-experiments.js';
import { LEAST } from '../../support/kinds.js';

const compare = inTerminal(addCompareCommand, 'compare');

const items = Array.from({ length: 8 }, (_, index) => ({
  question: `What comes after ${index}?`,
  answer: String(index + 1),
  level: index < 4 ? 'easy' : 'hard',
}));

/** Runs best of n with a model that says the number after the sample's plus `off`; writes what it leaves behind. */
async function run(results: string, name: string, off: number): Promise<void> {
  const script = join(results, `${name}.yaml`);
  const rules = items.map((_, index) => `- {match: 'after ${index}\\?', reply: '${index + 1 + off}'}`);
  writeFileSync(script, rules.join('\n'));
  const lm = { model: 'scripted/counting', script };
  const { store } = await experimentInProcess('own-kind', {
    ...LEAST['own-kind'],
    name,
    models: { writer: lm, judge: lm },
    settings: { n: 1 },
    dataset: { items, meta_fields: ['level'] },
  } as never);
  for await (const { key } of store.list('')) {
    mkdirSync(dirname(join(results, name, key)), { recursive: true });
    writeFileSync(join(results, name, key), (await store.read(key)) as Uint8Array);
  }
}

test('experiments of one’s own kind are compared by their scores and by the fields of their samples', async () => {
  const results = resultsFolder();
  await run(results, 'none', 1);
  await run(results, 'all', 0);
  const { code, out } = await compare('none', 'all', '--results-dir', results, '--by', 'level', '--json');
  expect(code).toBe(0);
  const { comparisons, experiments } = JSON.parse(out) as Comparison;
  expect(comparisons[0]?.scores[0]).toMatchObject({
    score: 'correct',
    pairs: 8,
    outcomes: { both: 0, baseline_only: 0, other_only: 8, neither: 0 },
    by: {
      level: [
        { group: 'easy', pairs: 4, difference: 1 },
        { group: 'hard', pairs: 4, difference: 1 },
      ],
    },
  });
  expect(comparisons[0]?.same_scores).toMatchObject({ 'any correct': 'correct' });
  expect(comparisons[0]?.differences.map(({ field }) => field)).toEqual([
    'models.writer.script',
    'models.judge.script',
  ]);
  expect(experiments[0]?.costs.seconds_of).toBe('calls');
}, 120_000);
