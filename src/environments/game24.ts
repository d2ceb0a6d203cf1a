import type { Feedback } from '../contracts/environment.js';
import { checkGame24 } from '../grading/game24.js';
import { QAEnv } from './qa.js';

const INSTRUCTION =
  'Use each of the four numbers exactly once, with + - * / and brackets, to make 24: {question}\n' +
  'End with the expression in <answer></answer>.';

/** Game of 24: make 24 from four numbers, each used once. Judged by exact rational value. */
export class Game24Env extends QAEnv {
  private numbers(): number[] {
    return (this.task.question.match(/\d+/g) ?? []).map(Number);
  }

  override validate(): void {
    if (this.numbers().length !== 4) {
      throw new Error('dataset.input_field: four whole numbers such as "4 7 8 8" are needed');
    }
  }

  protected override instruct(question: string): string {
    return super.instruct(question, INSTRUCTION);
  }

  override evaluate(action: string): Feedback {
    const { correct, extracted, message } = checkGame24(this.numbers(), action);
    return { correct, target: this.task.target ?? '24', message, extra: { extracted } };
  }
}
