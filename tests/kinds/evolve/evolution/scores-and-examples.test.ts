import { describe, expect, test } from 'vitest';
import { checkUniqueIds, exampleRow, readExample } from '../../../../src/kinds/evolve/evolution/examples.js';
import { executionLog, type LoggedRun } from '../../../../src/kinds/evolve/evolution/execution-log.js';
import { scoringFile, validationOf } from '../../../../src/kinds/evolve/evolution/scores.js';
import { createRandom, shuffled } from '../../../../src/statistics/random.js';
import { example, throughJson } from './support.js';

describe('a validation', () => {
  test('has the same mean to the last bit, whatever order the scores came in', () => {
    const random = createRandom('means');
    const scores = Array.from({ length: 30 }, (_, index) => [`e${index}`, random()] as const);
    const expected = validationOf(Object.fromEntries(scores));
    for (let seed = 0; seed < 50; seed += 1) {
      const { score, by_example } = validationOf(Object.fromEntries(shuffled(scores, createRandom(seed))));
      expect(score).toBe(expected.score);
      expect(JSON.stringify(by_example)).toBe(JSON.stringify(expected.by_example));
    }
    expect(expected.score).toBeCloseTo(scores.reduce((sum, [, score]) => sum + score, 0) / 30, 12);
  });

  test.each([
    [[1e308, 1e308], 1e308],
    [[Number.MAX_VALUE, Number.MAX_VALUE, Number.MAX_VALUE], Number.MAX_VALUE],
    [[0, 1e308, 1e308, 1e308], 0.75e308],
    [[3, 4], 3.5],
  ])('of %j has a mean that is finite', (values, mean) => {
    const { score } = validationOf(Object.fromEntries(values.map((value, index) => [`e${index}`, value])));
    expect(score / mean).toBeCloseTo(1, 12);
    expect(score).toBeLessThanOrEqual(Math.max(...values));
  });

  test('is of finite scores, and of at least one', () => {
    for (const score of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(() => validationOf({ a: 1, b: score })).toThrow('"b"');
      expect(() => scoringFile({}, { 0: score })).toThrow(RangeError);
    }
    expect(() => validationOf({})).toThrow(RangeError);
  });

  test('keeps an example of any name', () => {
    const scores = JSON.parse('{"__proto__": 0.5, "constructor": 1, "7": 0}');
    const { score, by_example } = throughJson(validationOf(scores));
    expect(score).toBe(0.5);
    expect(Object.keys(by_example).sort()).toEqual(['7', '__proto__', 'constructor']);
  });
});

test('scoring.json is the same text whatever order the scores came in', () => {
  const text = (valid: Record<string, number>) => JSON.stringify(scoringFile({ '2-0': 1 }, valid));
  expect(text({ '2-10': 0, '2-1': 0.5, '10': 1, '2': 0.25 })).toBe(
    text({ '10': 1, '2': 0.25, '2-1': 0.5, '2-10': 0 }),
  );
  expect(JSON.parse(text({ '2-1': 0.5 }))).toEqual({ train: { '2-0': 1 }, valid: { '2-1': 0.5 } });
});

describe('a row', () => {
  test('keeps every field but id and input for the scorer', () => {
    const row = { id: 'a', input: 'x', solution: 'y', nested: { id: 1 }, list: [null] };
    const read = readExample(row, 1);
    expect(read).toEqual({
      id: 'a',
      input: 'x',
      scoring_data: { solution: 'y', nested: { id: 1 }, list: [null] },
    });
    expect(exampleRow(read)).toEqual(row);
    expect(readExample({ id: 12, input: '' }, 1)).toEqual(example('12', ''));
  });

  test('may have what the scorer needs in a mapping of that name', () => {
    const read = readExample({ id: 'a', input: 'x', scoring_data: { solution: 'y' }, source: 'z' }, 1);
    expect(read.scoring_data).toEqual({ source: 'z', solution: 'y' });
    expect(readExample(exampleRow(read), 1)).toEqual(read);
    expect(readExample({ id: 'a', input: 'x', scoring_data: 'a text' }, 1).scoring_data).toEqual({
      scoring_data: 'a text',
    });
    expect(() => readExample({ id: 'a', input: 'x', scoring_data: { target: 1 }, target: 2 }, 7)).toThrow(
      "row 7: 'target' stands in the row and in its scoring_data",
    );
  });

  test('cannot be written where a field for the scorer would take the place of its own', () => {
    expect(() => exampleRow(example('a', 'x', { id: 'b' }))).toThrow(
      'example "a": scoring_data has a field \'id\'',
    );
    expect(() => exampleRow(example('a', 'x', { input: 'y' }))).toThrow("a field 'input'");
  });

  test.each([
    [{ input: 'x' }, "row 7: 'id'"],
    [{ id: null, input: 'x' }, "row 7: 'id'"],
    [{ id: ' ', input: 'x' }, "row 7: 'id' is empty"],
    [{ id: 1.5, input: 'x' }, "row 7: 'id'"],
    [{ id: 'a' }, "row 7: 'input'"],
    [{ id: 'a', input: ['x'] }, "row 7: 'input'"],
  ])('%j is refused by its number and field', (row, message) => {
    expect(() => readExample(row, 7)).toThrow(message);
  });

  test('has an id of its own', () => {
    expect(() => checkUniqueIds([example('a', ''), example('b', ''), example('a', '')])).toThrow(
      'rows 1 and 3',
    );
    expect(() => checkUniqueIds([example('a', ''), example('A', '')])).not.toThrow();
  });
});

describe('an execution log', () => {
  type TimedRun = LoggedRun & { execution_time: number };

  const result = (fields: Partial<TimedRun>): TimedRun => ({
    stderr: '',
    exit_code: 0,
    execution_time: 1.25,
    status: 'ok',
    ...fields,
  });

  test('is what the run wrote, with how it ended where that was not well', () => {
    expect(executionLog(result({ stderr: 'note\n' }))).toBe('note\n');
    expect(executionLog(result({ stderr: 'Traceback\n', status: 'error', exit_code: 1 }))).toBe(
      'Traceback\nThe run failed. Exit code 1.',
    );
    expect(executionLog(result({ status: 'timeout', exit_code: null }))).toContain('time limit');
    for (const status of ['out_of_memory', 'output_limit'] as const) {
      expect(executionLog(result({ status, exit_code: null }))).toContain('stopped');
    }
  });

  test('is the same for two runs that differ in nothing but their time', () => {
    const [one, other] = [120.01, 120.2].map((execution_time) =>
      result({ status: 'timeout', execution_time }),
    );
    expect(executionLog(one as TimedRun)).toBe(executionLog(other as TimedRun));
  });
});
