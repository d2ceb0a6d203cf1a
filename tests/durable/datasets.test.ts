import { readFile } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TaskRow } from '../../src/contracts/results.js';
import type { Metrics } from '../../src/kinds/run/results.js';
import { Workplace } from '../support/workplace.js';

type Rows = Record<string, unknown>[];

/** The command on rows in a file, with a scripted model that knows by the question what to say. */
async function run(
  dataset: object,
  rows: Rows,
  says: [match: string, reply: string][],
  options: string[] = [],
) {
  const place = await Workplace.make();
  onTestFinished(() => place.dispose());
  await place.write('rows.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await place.write(
    'script.yaml',
    says.map(([match, reply]) => ({ match, reply })),
  );
  await place.write('page.yaml', {
    dataset: { dataset_path: 'rows.jsonl', ...dataset },
    lm: { model: 'scripted/page', script: 'script.yaml' },
  });
  const { code, stdout, stderr } = await place.start(['run', 'page.yaml', ...options]).done;
  const results = await readFile(place.path('results/page/results.jsonl'), 'utf8').catch(() => '');
  const read = results.split('\n').filter((line) => line !== '');
  return {
    code,
    printed: stdout + stderr,
    metrics: code === 0 ? await place.metrics('page') : ({} as Partial<Metrics>),
    rows: read.map((line) => JSON.parse(line) as TaskRow),
    config: await readFile(place.path('results/page/config.yaml'), 'utf8').catch(() => ''),
  };
}

const WINOGRANDE = [
  {
    sentence: 'W1 The vase is in the crate, for _ is small.',
    option1: 'the vase',
    option2: 'the crate',
    answer: '1',
  },
  { sentence: 'W2 Mara thanked Ines, for _ had helped.', option1: 'Mara', option2: 'Ines', answer: '2' },
];
const OPTIONS = { input_field: 'sentence', choices_field: ['option1', 'option2'] };
const RIGHT: [string, string][] = [
  ['W1', 'Answer: A'],
  ['W2', 'Answer: B'],
];

describe('what a target names', () => {
  test('is refused before a server is started where it is no choice, with the way out', async () => {
    const { code, printed, rows } = await run(OPTIONS, WINOGRANDE, RIGHT);
    expect([code, rows]).toEqual([2, []]);
    expect(printed).toMatch(
      /^row 2: target `2` \('answer', dataset\.target_field\).*dataset\.target_base: 1/m,
    );
    expect(printed).not.toContain('Started');
  });

  test('is counted from 1 where the config says so', async () => {
    const { code, metrics } = await run({ ...OPTIONS, target_base: 1 }, WINOGRANDE, RIGHT);
    expect(code).toBe(0);
    expect(metrics).toMatchObject({ accuracy: 1, samples: 2, errors: 0 });
  });

  test('is said in the first lines and in config.yaml where nothing tells', async () => {
    const { code, printed, config } = await run(OPTIONS, WINOGRANDE.slice(0, 1), RIGHT);
    expect(code).toBe(0);
    const sentence = /Targets are read as indices from 0 \(dataset\.target_base: 0\)/;
    expect(printed).toMatch(sentence);
    expect(config).toMatch(sentence);
  });

  test('may be several answers, which the rows list', async () => {
    const answers = { value: 'Kyiv', aliases: ['Kyiv', 'Kiev'] };
    const { metrics, rows } = await run(
      { target_field: 'answer.aliases' },
      [{ question: 'T1 Which city?', answer: answers }],
      [['T1', 'Answer: Kiev']],
    );
    expect(metrics.accuracy).toBe(1);
    expect(rows[0]).toMatchObject({
      target: 'Kyiv',
      targets: ['Kyiv', 'Kiev'],
      feedback: { target: 'Kiev' },
    });
  });
});
