import type { Limits, Spending, SpendingLeft } from '../contracts/run.js';
import { roomForCalls, spendingLeft } from './budget.js';

/**
 * The calls that steps in flight may still make. A step that begins reserves all that it may make, so that steps side by
 * side do not exceed the limit of calls together, and tokens and dollars by no more than those in flight.
 */
export class Reservations {
  private open = 0;

  /** Whether a step of so many calls may begin. One that is alone always may, with whatever is left. */
  hasRoom(calls: number, limits: Limits, spent: Spending): boolean {
    return calls === 0 || this.open === 0 || roomForCalls(limits, spent, this.open) >= calls;
  }

  /** What is left to a step that has reserved so many calls, beside what the others have reserved. */
  left(calls: number, limits: Limits, spent: Spending): SpendingLeft {
    const left = spendingLeft(limits, spent);
    const others = this.open - calls;
    return { ...left, lm_calls: left.lm_calls === null ? null : Math.max(left.lm_calls - others, 0) };
  }

  /** Answers with what gives the reservation back, once the step has ended and is paid. */
  reserve(calls: number): () => void {
    this.open += calls;
    return () => {
      this.open -= calls;
    };
  }
}
