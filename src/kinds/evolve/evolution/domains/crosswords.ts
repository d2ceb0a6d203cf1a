import type { DatasetExample } from '../types.js';
import { countRight, readPieces } from './crosswords/answer.js';
import { generateCrosswords } from './crosswords/generate.js';
import { type Grid, readSolution } from './crosswords/grid.js';
import type { Domain } from './domain.js';

export type CrosswordMode = 'strict' | 'lenient';

/**
 * Creates the domain of crosswords, scored by the share of correct squares (see {@link countRight} for the two modes,
 * and {@link readPieces} for the forms of an answer). `scoring_data`: `solution`, a text that begins with the filled
 * grid, one row per line, `.` or `#` for black squares.
 */
export function crosswordsDomain(mode: CrosswordMode): Domain {
  return {
    answerFormat:
      'The filled grid, a row a line with spaces between the squares and . for black ones; or the lists "Across:" and ' +
      '"Down:" with entries such as "3. CRANE"; or both.',
    perfect: 1,
    findFault(example) {
      return solutionOf(example) === null
        ? 'scoring_data.solution is not a text that begins with a grid'
        : null;
    },
    score(output, example) {
      const solution = solutionOf(example);
      if (solution === null)
        throw new TypeError('scoring_data.solution is not a text that begins with a grid');
      const pieces = readPieces(output, solution);
      const { right, squares } = countRight(pieces, solution, mode);
      const message =
        pieces.length === 0
          ? 'The output has no grid and no list.'
          : `${right} of ${squares} squares are right.`;
      return { score: right / squares, message };
    },
    expectedOutput({ scoring_data }) {
      return typeof scoring_data.solution === 'string' ? scoring_data.solution : '';
    },
    generate: generateCrosswords,
  };
}

function solutionOf({ scoring_data }: DatasetExample): Grid | null {
  return typeof scoring_data.solution === 'string' ? readSolution(scoring_data.solution) : null;
}
