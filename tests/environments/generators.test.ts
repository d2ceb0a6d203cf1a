import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SOLVABLE_GAMES, solveGame24 } from '../../src/environments/generators/game24.js';
import { GENERATORS, generateRows } from '../../src/environments/generators/index.js';
import { complaint, environment, play } from './support.js';

const rows = (kind: string, count: number, seed: number) => [...generateRows(kind, count, seed)];

describe.each(Object.entries(GENERATORS))('%s', (kind, { environment: name }) => {
  test('the same seed gives the same rows, another one others', () => {
    expect(rows(kind, 50, 1)).toEqual(rows(kind, 50, 1));
    expect(rows(kind, 50, 1)).not.toEqual(rows(kind, 50, 2));
  });

  test('fewer rows are the first of more', () => {
    expect(rows(kind, 10, 3)).toEqual(rows(kind, 50, 3).slice(0, 10));
  });

  test.each([0, 1, 37])('%i rows are as many, each with an id of its own', (count) => {
    const made = rows(kind, count, 4);
    expect(made).toHaveLength(count);
    expect(new Set(made.map(({ id }) => id)).size).toBe(count);
  });

  test('its environment takes every row and accepts its answer', async () => {
    for (const { id, question, answer } of rows(kind, 150, 5)) {
      const env = environment(name, { id, question, target: answer });
      expect(complaint(env), question).toBeNull();
      const [outcome] = await play(env, `<answer>${answer}</answer>`);
      expect(outcome?.feedback, question).toMatchObject({ correct: true });
    }
  });
});

test.each(['game24', 'equation_balancer'])('%s makes no puzzle twice', (kind) => {
  const questions = rows(kind, 1000, 6).map(({ question }) => question);
  expect(new Set(questions).size).toBe(1000);
});

describe('game of 24', () => {
  test.each([
    [[4, 7, 8, 8], true],
    [[3, 3, 8, 8], true],
    [[1, 5, 5, 5], true],
    [[1, 1, 1, 1], false],
    [[13, 13, 13, 13], false],
  ])('%j is solvable: %s', async (numbers, solvable) => {
    const solution = solveGame24(numbers);
    expect(solution !== null).toBe(solvable);
    if (solution === null) return;
    const [outcome] = await play(environment('Game24Env', { question: numbers.join(' ') }), solution);
    expect(outcome?.feedback.correct).toBe(true);
  });

  test('there are as many games as it says: asked for more, it would look for ever', () => {
    let solvable = 0;
    for (let a = 1; a <= 13; a++)
      for (let b = a; b <= 13; b++)
        for (let c = b; c <= 13; c++)
          for (let d = c; d <= 13; d++) if (solveGame24([a, b, c, d]) !== null) solvable += 1;
    expect(solvable).toBe(SOLVABLE_GAMES);
  });

  test('the shipped puzzles are what the generator makes', () => {
    const file = readFileSync(new URL('../../configs/data/game24.jsonl', import.meta.url), 'utf8');
    const shipped = file
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(shipped).toEqual(rows('game24', 40, 1));
  });
});

test('an unknown kind is an error that names it', () => {
  expect(() => generateRows('sudoku', 1, 1)).toThrow('no generator is called sudoku');
});
