import { expect, test } from 'vitest';
import { explain } from '../../src/cli/exit.js';
import { experimentText, factsText, resultText } from '../../src/cli/experiment-text.js';
import { InvalidInputError } from '../../src/config/errors.js';
import type { ExperimentMetrics } from '../../src/contracts/results.js';
import { factsOf } from '../../src/facts/kind-facts.js';
import { factText, isLineFact } from '../../src/facts/text.js';
import { StorageError } from '../../src/storage/storage-error.js';
import {
  ANY_FACTS,
  AT_END,
  begunNodes,
  EVOLUTION,
  IN_PROGRESS,
  KINDS,
  type Kind,
  node,
} from '../support/experiments.js';
import { tableLines } from './table-lines.js';

const ended = (kind: Kind, metrics: Partial<ExperimentMetrics> | object = {}) =>
  resultText({ artifacts: 's3://bucket/mine', metrics: { ...AT_END[kind], ...metrics } }, ANY_FACTS);

test.each(KINDS)('in progress, %s is a table of its facts, and ends with where it writes', (kind) => {
  const text = experimentText(IN_PROGRESS[kind], ANY_FACTS);
  const facts = factsOf(IN_PROGRESS[kind], ANY_FACTS).filter(isLineFact);
  const rows = facts.filter(({ value }) => value.kind !== 'address');
  expect(tableLines(text)).toEqual(rows.map((fact) => `${fact.label}: ${factText(fact)}`));
  expect(text.split('\n').at(-1)).toBe('Artifacts: s3://bucket/mine');
});

test.each(KINDS)('the result of %s says below its table what each cause of errors said first', (kind) => {
  const error_causes = [{ type: 'timeout', message: 'no answer\nin 60 s', count: 2 }];
  expect(ended(kind, { errors_by_type: { timeout: 2 }, error_causes })).toContain(
    '\nErrors by cause, each with its first message:\n  2 timeout: no answer in 60 s\n',
  );
  expect(ended(kind, { errors_by_type: {} })).not.toContain('Errors by');
});

test('a table fits into a narrow terminal, and loses no word', () => {
  const value = {
    kind: 'text',
    text: `49.2 %, stderr 4.8 %, 95 % interval 40.0 % to 58.3 %, ${'x'.repeat(90)}`,
  };
  const facts = ['accuracy', 'known of correct against results/before'].map((label) => ({ label, value }));
  const wide = factsText(facts as never, undefined);
  const narrow = factsText(facts as never, 80);
  expect(factsText(facts as never, 200)).toBe(wide);
  for (const line of narrow.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  const letters = (text: string) => text.replace(/[^\w.%]/g, '').length;
  expect(letters(narrow)).toBe(letters(wide));
});

test('a run says what its config means', () => {
  for (const text of [experimentText(IN_PROGRESS.run, ANY_FACTS), ended('run')]) {
    expect(text).toContain(
      '\nIn words:\n  Samples are independent.\n  Each prompt shows its question alone.\n',
    );
  }
});

test('a message continues below where it is longer than a terminal, and breaks no word', () => {
  const message = `cannot connect: ${'the connection was refused '.repeat(8)}${'x'.repeat(110)}`;
  const [first, ...others] = tableLines(ended('run', { status: 'failed', status_message: message }));
  const status = [first?.slice('status: '.length), ...others.slice(0, others.indexOf('model: openai/x'))];
  expect(status.join(' ')).toBe(`failed: ${message}`);
  expect(Math.max(...status.slice(0, -1).map((line) => line?.length ?? 0))).toBeLessThanOrEqual(100);
});

test('a run has a confusion matrix where answers are letters', () => {
  const confusion = { A: { A: 3, none: 1 }, B: { A: 2 } };
  const by_task = { MCQEnv: { samples: 6, correct: 3, errors: 0, accuracy: 0.5, confusion } };
  const text = ended('run', { by_task });
  expect(tableLines(text).slice(-3)).toEqual(['target \\ answered: A: none', 'A: 3: 1', 'B: 2: 0']);
  expect(text).toContain('MCQEnv, target letter by answered letter:');
  const named = { A: { constructor: 1 }, B: { A: 2 } };
  expect(
    tableLines(ended('run', { by_task: { MCQEnv: { ...by_task.MCQEnv, confusion: named } } })).at(-1),
  ).toBe('B: 2: 0');
});

test('a table of groups fits into a terminal: names that are too long continue below', () => {
  const [figures] = Object.values(AT_END.run.by_task);
  const long = 'professional_psychology and more, '.repeat(4);
  const groups = { algebra: figures, [long]: figures, 心理学: figures };
  const text = ended('run', { by: { category: groups } });
  const table = text.slice(text.indexOf('Accuracy by category:'), text.indexOf('Mean reward by category:'));
  expect(tableLines(table)[0]).toBe('category: samples: errors: accuracy: stderr: 95 % interval');
  expect(tableLines(table)).toContain('algebra: 10: 2: 75.0 %: 16.4 %: 37.5 % to 100.0 %');
  const names = tableLines(table).map((line) => line.split(': ')[0]);
  expect(names.join('').replaceAll(/\s/g, '')).toContain(long.replaceAll(/\s/g, ''));
  expect(Math.max(...table.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
});

test('an evaluation has pass@k and pass^k, the metrics of its reward, and its rows', () => {
  const text = ended('agent-eval');
  expect(tableLines(text)).toEqual(
    expect.arrayContaining([
      'k: pass@k: pass^k: rows',
      '1: 60.0 %: 60.0 %: 2',
      '2: 90.0 %: 33.3 %: 2',
      '3: –: –: 1',
      'metric of the reward: rollouts: mean: stderr: 95 % interval',
      'politeness: 4: 0.75: 0.125: 0.5 to 1',
      'row: rollouts: successes: mean reward',
      'flight.cancel.001: 3: 3: 1',
      'flight.cancel.002: 2: 0: 0',
    ]),
  );
  expect(text).toContain('counts each rollout alike; pass@k and pass^k count each row alike');
  expect(text).toContain('Warning: the rows have 2 to 3 judged rollouts.');
});

test('an evolution in progress has its scaffolds, and at its end the path of the best one', () => {
  const nodes = [...begunNodes(), node('3', 0, { status: 'unscored' })];
  expect(
    tableLines(experimentText({ ...EVOLUTION, nodes } as typeof EVOLUTION, ANY_FACTS)).slice(-6),
  ).toEqual([
    'iteration: scaffold: parent: train: valid: cost',
    '0: 0: –: 1: 0.25: $0.0125',
    '0: 1: –: –: failed: unknown',
    '0: 2: –: –: same as 0: –',
    '0: 3: –: –: given up: –',
    '1: 0-0: 0: –: –: –',
  ]);
  expect(ended('evolve').split('\n').slice(-2)).toEqual([
    'Best scaffold: s3://bucket/mine/iterations/2/scaffolds/new/1-0-0/scaffold.py',
    'Artifacts: s3://bucket/mine',
  ]);
});

test.each<[unknown, number]>([
  [new InvalidInputError('runtime.num_trials: must be more than 0', 'runtime.num_trials'), 2],
  [
    new StorageError({ message: 'disk full', uri: 'file:///x', key: 'a', code: 'ENOSPC', retryable: true }),
    1,
  ],
  [new Error('something else'), 1],
  ['a text', 1],
])('%s exits with %i and says why', (error, code) => {
  const explained = explain(error);
  expect(explained.code).toBe(code);
  expect(explained.message).toBe(error instanceof Error ? error.message : error);
});
