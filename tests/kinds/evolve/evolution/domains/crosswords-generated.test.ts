import { describe, expect, test } from 'vitest';
import {
  CLUES,
  MAX_PUZZLES,
  TEMPLATES,
} from '../../../../../src/kinds/evolve/evolution/domains/crosswords/generate.js';
import {
  answerIn,
  type Grid,
  readSolution,
  slotsOf,
} from '../../../../../src/kinds/evolve/evolution/domains/crosswords/grid.js';
import { crosswordsDomain } from '../../../../../src/kinds/evolve/evolution/domains/crosswords.js';
import { scoreOutput } from '../../../../../src/kinds/evolve/evolution/domains/domain.js';

describe('generated puzzles', () => {
  const domain = crosswordsDomain('strict');
  const puzzles = domain.generate?.(1, 200) ?? [];

  test('are all different, of several shapes', () => {
    expect(puzzles).toHaveLength(200);
    expect(new Set(puzzles.map(({ scoring_data }) => scoring_data.solution)).size).toBe(200);
    expect(new Set(puzzles.map(({ input }) => input)).size).toBe(200);
    expect(new Set(puzzles.map(({ id }) => id)).size).toBe(200);
    expect(new Set(puzzles.map(({ input }) => input.split('\n\n')[0])).size).toBe(TEMPLATES.length);
  });

  test('are the same for a seed, others for another, and fewer are the first of more', () => {
    expect(domain.generate?.(1, 30)).toEqual(puzzles.slice(0, 30));
    expect(domain.generate?.(2, 30)).not.toEqual(puzzles.slice(0, 30));
    expect(domain.generate?.(1, 0)).toEqual([]);
  });

  test('hold known words only, none twice, in grids that stay the same under half a turn', async () => {
    for (const puzzle of puzzles) {
      expect(domain.findFault(puzzle)).toBeNull();
      const grid = readSolution(String(puzzle.scoring_data.solution)) as Grid;
      const words = slotsOf(grid).map((slot) => answerIn(grid, slot));
      for (const word of words) expect(CLUES.has(word), word).toBe(true);
      expect(new Set(words).size).toBe(words.length);
      const blacks = grid.map((row) => row.map((square) => square === '.'));
      expect(blacks.toReversed().map((row) => row.toReversed())).toEqual(blacks);
    }
  });

  test('are solved by their solution, by its grid alone and by its lists alone, and not by its clues', async () => {
    for (const puzzle of puzzles) {
      const solution = String(puzzle.scoring_data.solution);
      const [grid = '', across = '', down = ''] = solution.split('\n\n');
      for (const output of [solution, grid, `${across}\n\n${down}`])
        expect((await scoreOutput(domain, output, puzzle)).score).toBe(1);
      // A clue may share a letter with its word.
      expect((await scoreOutput(domain, puzzle.input, puzzle)).score).toBeLessThan(0.3);
    }
  });

  test('give a clue for each word and show none of the words', () => {
    for (const { input, scoring_data } of puzzles) {
      const entries = (text: string) => text.split('\n').filter((line) => /^ {2}\d+\. /.test(line));
      expect(entries(input)).toHaveLength(entries(String(scoring_data.solution)).length);
      expect(input).not.toMatch(/[A-Z]{3}/);
    }
  });

  test('are no more than there are', () => {
    expect(() => domain.generate?.(1, MAX_PUZZLES + 1)).toThrow(RangeError);
  });

  test('come from words of three to five letters with clues that do not give them away', () => {
    expect(CLUES.size).toBeGreaterThan(700);
    for (const [word, clue] of CLUES) {
      expect(word).toMatch(/^[A-Z]{3,5}$/);
      expect(clue, word).toMatch(/^[a-zA-Z0-9]/);
      expect(clue.toUpperCase().split(/[^A-Z]+/), word).not.toContain(word);
    }
  });
});
