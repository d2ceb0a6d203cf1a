import type { Feedback } from '../contracts/environment.js';
import { checkEquationFilling, isEquationPuzzle } from '../grading/equation-filling.js';
import { QAEnv } from './qa.js';

const INSTRUCTION =
  'Replace each ? by one of + - * / so that the equation holds. Keep the numbers in their order and use no brackets.\n' +
  '{question}\n' +
  'End with the complete equation in <answer></answer>.';

/** Puzzle such as `19 ? 8 ? 28 = -205`: fill in the operators. Judged by value; every valid solution counts. */
export class EquationBalancerEnv extends QAEnv {
  override validate(): void {
    if (!isEquationPuzzle(this.task.question)) {
      throw new Error('dataset.input_field: an equation such as 19 ? 8 ? 28 = -205 is needed');
    }
  }

  protected override instruct(question: string): string {
    return super.instruct(question, INSTRUCTION);
  }

  override evaluate(action: string): Feedback {
    const { correct, extracted, message } = checkEquationFilling(this.task.question, action);
    return { correct, target: this.task.target ?? '', message, extra: { extracted } };
  }
}
