import type { Feedback, ResetOutcome } from '../contracts/environment.js';
import { LETTERS, printsChoices } from '../grading/choices.js';
import { gradeMultipleChoice, type MultipleChoiceGrade } from '../grading/multiple-choice.js';
import { gradeSeveralChoices } from '../grading/several.js';
import { QAEnv } from './qa.js';

/** Multiple choice, answered by letter or by the choice's text; only letters that were offered count. */
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
    const lines = choices.map((choice, index) => `(${LETTERS[index]}) ${choice}`);
    // Questions of many datasets contain the choices already; they are not shown twice.
    const isPrinted = printsChoices(question, choices);
    return { state: null, obs: this.instruct(isPrinted ? question : [question, ...lines].join('\n')) };
  }

  override evaluate(action: string): Feedback {
    const grade = this.grade(action);
    return {
      correct: grade.correct,
      target: grade.targetLetter ?? this.target(),
      message: grade.message,
      extra: { extracted: grade.extracted, predicted: grade.letter, target_letter: grade.targetLetter },
    };
  }

  private grade(action: string): MultipleChoiceGrade {
    const { right_choices = [], choices = [], target_match = 'any' } = this.task;
    const target = this.target();
    const [first] = right_choices;
    // A subclass may change the target, which then counts.
    if (first === undefined || target !== this.task.target)
      return gradeMultipleChoice(action, target, choices);
    if (right_choices.length > 1 || target_match === 'all')
      return gradeSeveralChoices(action, right_choices, choices, target_match);
    return gradeMultipleChoice(action, LETTERS[first] ?? target, choices);
  }
}
