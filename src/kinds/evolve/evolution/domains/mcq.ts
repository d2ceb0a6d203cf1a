import type { Json, JsonObject } from '../../../../contracts/json.js';
import { LETTERS } from '../../../../grading/choices.js';
import { gradeMultipleChoice } from '../../../../grading/multiple-choice.js';
import { allOrNothing, type Domain, goldAnswer } from './domain.js';

/** Index of the first choice, where targets are indices. */
export type IndexBase = 0 | 1;

/**
 * Creates the domain of multiple choice. `scoring_data`: `target` (or `answer`, `correct_answer`), a letter, a choice's
 * text or its position; `choices`, the texts in the order of their letters, where the target is not a letter.
 * @param base index of the first choice, where whole numbers are always indices; null: from 0, where they are no
 *   choice.
 */
export function mcqDomain(base: IndexBase | null): Domain {
  const letterOf = (scoring: JsonObject): string | null => {
    const target = goldAnswer(scoring) ?? '';
    const choices = choicesOf(scoring) ?? [];
    if (base === null || !/^\d+$/.test(target.trim()))
      return gradeMultipleChoice('', target, choices).targetLetter;
    const position = Number(target) - base;
    return position < choices.length ? (LETTERS[position] ?? null) : null;
  };
  return {
    answerFormat: 'The letter of the right choice, such as B.',
    perfect: 1,
    findFault({ scoring_data }) {
      const choices = choicesOf(scoring_data);
      if (choices === undefined) return 'scoring_data.choices is not a list of 2 to 26 texts';
      const target = goldAnswer(scoring_data);
      if (target === undefined) return 'scoring_data has no target';
      return letterOf(scoring_data) === null
        ? `the target ${JSON.stringify(target)} is none of the choices; correct it, or set domain.options.target_base to 0 or 1 where targets are indices`
        : null;
    },
    score(output, { scoring_data }) {
      const target = letterOf(scoring_data) ?? goldAnswer(scoring_data) ?? '';
      return allOrNothing(gradeMultipleChoice(output, target, choicesOf(scoring_data) ?? []));
    },
    expectedOutput({ scoring_data }) {
      return letterOf(scoring_data) ?? goldAnswer(scoring_data) ?? '';
    },
  };
}

/**
 * Returns the choices: none where the row has none of its own (they are in the input), undefined where they are
 * invalid.
 */
function choicesOf({ choices }: JsonObject): string[] | undefined {
  if (choices === undefined || choices === null) return [];
  if (!Array.isArray(choices) || choices.length < 2 || choices.length > LETTERS.length) return undefined;
  return choices.every(isChoice) ? choices.map(String) : undefined;
}

const isChoice = (choice: Json) => typeof choice === 'string' || typeof choice === 'number';
