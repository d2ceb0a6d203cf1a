import type { JsonObject } from '../../../../contracts/json.js';
import { gradeNumeric } from '../../../../grading/numeric.js';
import { allOrNothing, type Domain, type DomainServices, goldAnswer, goldNumberFault } from './domain.js';
import { generatedExamples } from './generated.js';

/**
 * Creates the domain of mathematical answers: a number, an expression, a set, an interval. `scoring_data`: `target` (or
 * `answer`, `solution`); `tolerance`, relative to the target, from 0 (exact, the default) to below 1.
 */
export function numericDomain({ compareSymbolically }: DomainServices): Domain {
  return {
    answerFormat:
      'The answer as a number or an expression, and nothing else; in a longer text, in <answer></answer>.',
    perfect: 1,
    findFault({ scoring_data }) {
      if (goldAnswer(scoring_data) === undefined) return 'scoring_data has no target';
      if (toleranceOf(scoring_data) === undefined) {
        return 'scoring_data.tolerance is not a number from 0 to below 1';
      }
      return goldNumberFault(scoring_data);
    },
    async score(output, { scoring_data }) {
      const tolerance = toleranceOf(scoring_data) ?? 0;
      const symbolic = compareSymbolically === undefined ? {} : { symbolic: compareSymbolically };
      const options = { tolerance, ...symbolic };
      return allOrNothing(await gradeNumeric(output, goldAnswer(scoring_data) ?? '', options));
    },
    expectedOutput({ scoring_data }) {
      return goldAnswer(scoring_data) ?? '';
    },
    generate(seed, count) {
      return generatedExamples('arithmetic', count, seed);
    },
  };
}

function toleranceOf({ tolerance }: JsonObject): number | undefined {
  if (tolerance === undefined || tolerance === null) return 0;
  return typeof tolerance === 'number' && tolerance >= 0 && tolerance < 1 ? tolerance : undefined;
}
