import type { Feedback } from '../contracts/environment.js';
import { gradeNumeric } from '../grading/numeric.js';
import { gradeByAny } from '../grading/several.js';
import { QAEnv } from './qa.js';

/**
 * A question with a mathematical answer: a number, an expression, a set, an interval. `env_options.tolerance`
 * (relative, default none) allows a number to differ from the target.
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
    const { tolerance } = this.settings.options;
    const { grade, target } = await gradeByAny(this.targets(), (one) =>
      gradeNumeric(action, one, {
        symbolic: this.services.compareSymbolically,
        ...(typeof tolerance === 'number' ? { tolerance } : {}),
      }),
    );
    const { correct, extracted, message } = grade;
    return { correct, target, message, extra: { extracted } };
  }

  /** Returns the targets; those that are all required are one answer, a set. */
  protected override targets(): string[] {
    const targets = super.targets();
    return this.task.target_match === 'all' ? [targets.join(', ')] : targets;
  }
}
