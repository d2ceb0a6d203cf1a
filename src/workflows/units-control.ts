import type { Asked } from '../contracts/experiment.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import type { EpisodeError, ExperimentMetrics } from '../contracts/results.js';
import type { LeaveToAsk, StepCost } from '../contracts/step-cost.js';
import { Budget, hasCallLimits } from '../runtime/budget.js';
import { CallRefusedError } from '../runtime/ports.js';
import { addStep, newlyPaid, spendingOf } from '../runtime/step-cost.js';
import { withErrors } from '../statistics/error-tally.js';
import { ExperimentControl, type Planned } from './experiment-control.js';
import { costAtLimit, describeError, fatalMessage } from './failures.js';
import { requestUntilAnswered } from './request-until-answered.js';
import { ActivityFailure, condition, isCancellation } from './sdk.js';

/** What the plan says of an experiment whose units ask models one call after another. */
export interface UnitsPlan extends Planned {
  /** What earlier executions have spent, and how many replies of theirs are stored and may be looked for. */
  spent: StepCost;
  stored: number;
}

export interface UnitTotals extends StepCost {
  /** Units that were given up. */
  errors: number;
  /** Those, by the type of their error; absent: none. */
  errors_by_type?: Record<string, number>;
}

/** What the control of such an experiment hands to the execution that continues it. */
export interface UnitsHandedOver<Totals> {
  asked: Asked;
  totals: Totals;
  /** Replies that were paid for before and not found yet. */
  stored: number;
}

/** What a call may be: a request, or only a reply that is stored already. */
type Leave = 'new' | 'stored';

/** Controls an experiment whose units are worked on side by side within its workflow, each call an activity. */
export abstract class UnitsControl<
  Plan extends UnitsPlan,
  Progress extends ExperimentProgress<string, ExperimentMetrics>,
  Totals extends UnitTotals,
> extends ExperimentControl<Plan, Progress> {
  protected abstract totals: Totals;
  protected running = 0;
  private budget: Budget | undefined;
  /** Replies that earlier executions have paid for and that were not found yet, as far as this execution knows. */
  protected stored = 0;

  /** @param isFirst whether nothing was done of it yet. */
  protected beginUnits(plan: Plan, isFirst: boolean, about: { kind: string; model: string }): void {
    if (isFirst) {
      this.totals = addStep(this.totals, plan.spent);
      this.stored = plan.stored;
    }
    this.planned(plan, about);
    this.budget = new Budget(plan.limits, () => spendingOf(this.totals));
    this.showPhase();
  }

  /**
   * Works on a unit until it has ended, was given up, or stays open because no further call may be made.
   * @param recordError notes why it was given up, for the artifacts
   */
  async unit(
    work: () => Promise<void>,
    recordError: (error: EpisodeError) => Promise<unknown>,
  ): Promise<void> {
    this.running += 1;
    this.show();
    try {
      await work();
    } catch (error) {
      await this.broken(error, recordError);
    } finally {
      this.running -= 1;
      this.show();
    }
  }

  /**
   * Asks for a reply, and books it.
   * @param send does the activity
   * @throws CallRefusedError where no further call may be made, or what the last request failed of.
   */
  reply<Reply extends StepCost>(
    send: (leave: LeaveToAsk) => Promise<Reply>,
    book: (totals: Totals, reply: Reply) => Totals,
  ): Promise<Reply> {
    return requestUntilAnswered<Reply, Leave>(
      {
        isLimited: this.plan !== undefined && hasCallLimits(this.plan.limits),
        leave: () => this.mayAsk(),
        answered: (reply, leave) => {
          this.stored -= reply.counted?.lm_calls ?? 0;
          this.totals = book(this.totals, newlyPaid(reply) as Reply);
          this.paid(leave);
        },
        failed: (cost, _error, leave) => {
          this.totals = addStep(this.totals, cost);
          this.paid(leave);
        },
        gaveUp: async (error) => {
          if (costAtLimit(error) === null) throw error;
          // A reply that was looked for among those that are stored is not there: nor are those behind it, mostly.
          this.stored = 0;
          this.checkLimits();
          throw new CallRefusedError();
        },
      },
      (before, leave) => send(leave === 'stored' ? { ...before, stored_only: true } : before),
    );
  }

  /** A unit was given up. @param type of its error */
  gaveUp(type: string): void {
    const { errors, errors_by_type } = this.totals;
    this.totals = { ...this.totals, errors: errors + 1, errors_by_type: withErrors(errors_by_type, type) };
    this.show();
  }

  handOver(): UnitsHandedOver<Totals> {
    return { asked: this.standing.asked(), totals: this.totals, stored: this.stored };
  }

  protected override passOn(): void {
    if (!this.goesOn()) this.budget?.close();
  }

  /** What a unit came to that threw. @throws what is no unit's own: a cancellation, or a fault of ours. */
  private async broken(
    error: unknown,
    recordError: (error: EpisodeError) => Promise<unknown>,
  ): Promise<void> {
    if (error instanceof CallRefusedError) {
      this.unfinished = true;
      return;
    }
    if (isCancellation(error)) throw error;
    const fatal = fatalMessage(error);
    if (fatal !== null) return this.fail(fatal);
    if (!(error instanceof ActivityFailure)) throw error;
    const described = describeError(error);
    try {
      await recordError(described);
      this.gaveUp(described.type);
    } catch (failure) {
      if (isCancellation(failure)) throw failure;
      this.fail(describeError(failure).message);
    }
  }

  /**
   * Waits until another call may begin. Where a limit is reached, replies that are paid for may still be found.
   * @returns false where no further call may begin at all.
   */
  private async mayAsk(): Promise<Leave | false> {
    if (this.isPaused()) await condition(() => !this.isPaused() || !this.goesOn());
    if (!this.goesOn()) return false;
    if (await this.budget?.requestOne()) return 'new';
    if (this.stored > 0 && this.goesOn()) return 'stored';
    this.checkLimits();
    return false;
  }

  private paid(leave: Leave): void {
    if (leave === 'new') this.budget?.ended();
    this.show();
  }

  /** A limit counts once a call is to begin: what ends with the last of it has ended well. */
  private checkLimits(): void {
    const reached = this.budget?.exhausted() ?? null;
    if (reached !== null) this.exhaust(reached);
  }
}
