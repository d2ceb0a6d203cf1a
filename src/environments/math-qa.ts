import type { Feedback } from '../contracts/environment.js';
import { gradeNumeric } from '../grading/numeric.js';
import { QAEnv } from './qa.js';

/**
 * A question with a mathematical answer: a number, an expression, a set, an interval.
 * `env_options.tolerance` (relative, default none) lets a number differ from the target.
 */
export class MathQAEnv extends QAEnv {
  override validate(): void {
    super.validate();
    const { tolerance } = this.settings.options;
    if (tolerance !== undefined && (typeof tolerance !== 'number' || tolerance < 0 || tolerance >= 1)) {
      throw new Error('dataset.env_options.tolerance: must be a number from 0 to below 1');
    }
  }

  override async evaluate(action: string): Promise<Feedback> {
    const target = this.target();
    const { tolerance } = this.settings.options;
    const { correct, extracted, message } = await gradeNumeric(action, target, {
      symbolic: this.services.compareSymbolically,
      ...(typeof tolerance === 'number' ? { tolerance } : {}),
    });
    return { correct, target, message, extra: { extracted } };
  }
}
