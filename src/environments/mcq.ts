import type { Feedback, ResetOutcome } from '../contracts/environment.js';
import { gradeMultipleChoice } from '../grading/multiple-choice.js';
import { QAEnv } from './qa.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Whether a question shows a choice with its letter, as `(A) text`, `A) text`, `A. text` or `A: text`. */
function printsChoice(question: string, letter: string, choice: string): boolean {
  return [')', '.', ':'].some((mark) => question.includes(`${letter}${mark} ${choice}`));
}

/** Multiple choice, by letter or by the choice's text; only a letter that was offered counts. */
export class MCQEnv extends QAEnv {
  override validate(): void {
    super.validate();
    const count = this.task.choices?.length ?? 0;
    if (count < 2 || count > LETTERS.length) {
      throw new Error(
        `dataset.choices_field: the row offers ${count} choices; 2 to ${LETTERS.length} can be lettered`,
      );
    }
  }

  override reset(): ResetOutcome {
    const { choices = [] } = this.task;
    const question = this.normalizeInput(this.task.question);
    // Many datasets print the choices in the question already; they are not shown twice.
    const printed = choices.every((choice, index) => printsChoice(question, LETTERS[index] ?? '', choice));
    const lines = choices.map((choice, index) => `(${LETTERS[index]}) ${choice}`);
    return { state: null, obs: this.instruct(printed ? question : [question, ...lines].join('\n')) };
  }

  override evaluate(action: string): Feedback {
    const grade = gradeMultipleChoice(action, this.target(), this.task.choices ?? []);
    return {
      correct: grade.correct,
      target: grade.targetLetter ?? this.target(),
      message: grade.message,
      extra: { extracted: grade.extracted, predicted: grade.letter, target_letter: grade.targetLetter },
    };
  }
}
