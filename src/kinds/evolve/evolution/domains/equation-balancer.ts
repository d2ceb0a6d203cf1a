import { checkEquationFilling, isEquationPuzzle } from '../../../../grading/equation-filling.js';
import type { DatasetExample } from '../types.js';
import { allOrNothing, type Domain, goldAnswer } from './domain.js';
import { generatedExamples } from './generated.js';

/**
 * Equations such as `19 ? 8 ? 28 = -205`, to be completed. Judged by value, so every valid filling counts.
 * `scoring_data`: `puzzle`, where the input has other words around it than a label in front. `target` or `answer` is
 * shown in prompts and does not affect the score.
 */
export const equationBalancer: Domain = {
  answerFormat: 'The complete equation with + - * / in place of the question marks, and no brackets.',
  perfect: 1,
  findFault(example) {
    return isEquationPuzzle(puzzleOf(example))
      ? null
      : 'neither scoring_data.puzzle nor the input is an equation such as 19 ? 8 ? 28 = -205';
  },
  score(output, example) {
    return allOrNothing(checkEquationFilling(puzzleOf(example), output));
  },
  expectedOutput({ scoring_data }) {
    return (
      goldAnswer(scoring_data) ?? 'The equation with an operator for each question mark, so that it holds.'
    );
  },
  generate(seed, count) {
    return generatedExamples('equation_balancer', count, seed);
  },
};

function puzzleOf({ input, scoring_data }: DatasetExample): string {
  return typeof scoring_data.puzzle === 'string' ? scoring_data.puzzle : input;
}
