import type { Json } from '../../../../contracts/json.js';
import { checkGame24 } from '../../../../grading/game24.js';
import type { DatasetExample } from '../types.js';
import { allOrNothing, type Domain, goldAnswer } from './domain.js';
import { generatedExamples } from './generated.js';

/**
 * The Game of 24, judged by exact value. `scoring_data`: `numbers`, all four, as a list or a text; without it they are
 * the whole numbers in the input. `answer` is shown in prompts and does not affect the score.
 */
export const game24: Domain = {
  answerFormat:
    'An expression that uses each of the four numbers exactly once, with + - * / and brackets, and is 24.',
  perfect: 1,
  findFault(example) {
    return numbersOf(example).length === 4
      ? null
      : 'neither scoring_data.numbers nor the input has four whole numbers';
  },
  score(output, example) {
    return allOrNothing(checkGame24(numbersOf(example), output));
  },
  expectedOutput({ scoring_data }) {
    return goldAnswer(scoring_data) ?? 'An expression of the four numbers that is 24.';
  },
  generate(seed, count) {
    return generatedExamples('game24', count, seed);
  },
};

function numbersOf({ input, scoring_data }: DatasetExample): number[] {
  const given: Json = scoring_data.numbers ?? input;
  if (Array.isArray(given)) return given.every(isNumber) ? (given as number[]) : [];
  return typeof given === 'string' ? (given.match(/\d+/g) ?? []).map(Number) : [];
}

const isNumber = (value: Json) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
