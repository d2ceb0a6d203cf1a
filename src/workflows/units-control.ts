import type { Asked } from '../contracts/experiment.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import type { EpisodeError, ExperimentMetrics } from '../contracts/results.js';
import type { RequestGrant, StepCost } from '../contracts/step-cost.js';
import { Budget, hasCallLimits } from '../runtime/budget.js';
import { CallRefusedError } from '../runtime/ports.js';
import { addStep, newlyPaid, spendingOf } from '../runtime/step-cost.js';
import { withErrors } from '../statistics/error-tally.js';
import { ExperimentControl, type Planned } from './experiment-control.js';
import { costAtLimit, describeError, fatalMessage } from './failures.js';
import { requestUntilAnswered } from './request-until-answered.js';
import { ActivityFailure, condition, isCancellation } from './sdk.js';

/** Plan of an experiment whose units request models one call after another. */
export interface UnitsPlan extends Planned {
  /** Cost of earlier executions, and number of their stored replies, which may be found again. */
  spent: StepCost;
  stored: number;
}

export interface UnitTotals extends StepCost {
  /** Units that were given up. */
  errors: number;
  /** Units that were given up, by the type of their error; absent: none. */
  errors_by_type?: Record<string, number>;
}

/** State that the control of such an experiment passes to the execution that continues it. */
export interface UnitsHandedOver<Totals> {
  asked: Asked;
  totals: Totals;
  /** Replies that were paid for before and not found yet. */
  stored: number;
}

/** Grant of a call: for a new request, or only for a stored reply. */
type Grant = 'new' | 'stored';

/** Controls an experiment whose units run concurrently within its workflow, each call an activity. */
export abstract class UnitsControl<
  Plan extends UnitsPlan,
  Progress extends ExperimentProgress<string, ExperimentMetrics>,
  Totals extends UnitTotals,
> extends ExperimentControl<Plan, Progress> {
  protected abstract totals: Totals;
  protected running = 0;
  private budget: Budget | undefined;
  /** Replies that earlier executions paid for and that were not found yet, as far as this execution knows. */
  protected stored = 0;

  /** @param isFirst true if no execution before has worked on it. */
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
   * @param recordError stores the reason of giving up, for the artifacts
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
   * Requests a reply, and adds its cost to the totals.
   * @param send runs the activity
   * @throws CallRefusedError if no further call may be made, or the failure of the last request.
   */
  reply<Reply extends StepCost>(
    send: (request: RequestGrant) => Promise<Reply>,
    book: (totals: Totals, reply: Reply) => Totals,
  ): Promise<Reply> {
    return requestUntilAnswered<Reply, Grant>(
      {
        isLimited: this.plan !== undefined && hasCallLimits(this.plan.limits),
        request: () => this.mayAsk(),
        answered: (reply, request) => {
          this.stored -= reply.counted?.lm_calls ?? 0;
          this.totals = book(this.totals, newlyPaid(reply) as Reply);
          this.paid(request);
        },
        failed: (cost, _error, request) => {
          this.totals = addStep(this.totals, cost);
          this.paid(request);
        },
        gaveUp: async (error) => {
          if (costAtLimit(error) === null) throw error;
          // An expected stored reply is missing; mostly, later ones are missing as well.
          this.stored = 0;
          this.checkLimits();
          throw new CallRefusedError();
        },
      },
      (before, request) => send(request === 'stored' ? { ...before, stored_only: true } : before),
    );
  }

  /** Counts a unit that was given up. @param type of its error */
  gaveUp(type: string): void {
    const { errors, errors_by_type } = this.totals;
    this.totals = { ...this.totals, errors: errors + 1, errors_by_type: withErrors(errors_by_type, type) };
    this.show();
  }

  handOver(): UnitsHandedOver<Totals> {
    return { asked: this.status.asked(), totals: this.totals, stored: this.stored };
  }

  protected override passOn(): void {
    if (!this.continues()) this.budget?.close();
  }

  /** Handles the error of a unit. @throws an error that belongs to no unit: a cancellation, or an internal error. */
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
   * Waits until another call may begin. If a limit is reached, paid replies may still be found.
   * @returns false if no further call may begin at all.
   */
  private async mayAsk(): Promise<Grant | false> {
    if (this.isPaused()) await condition(() => !this.isPaused() || !this.continues());
    if (!this.continues()) return false;
    if (await this.budget?.requestOne()) return 'new';
    if (this.stored > 0 && this.continues()) return 'stored';
    this.checkLimits();
    return false;
  }

  private paid(request: Grant): void {
    if (request === 'new') this.budget?.ended();
    this.show();
  }

  /** Checks limits when a call is to begin: work that ends exactly at a limit has ended well. */
  private checkLimits(): void {
    const reached = this.budget?.exhausted() ?? null;
    if (reached !== null) this.exhaust(reached);
  }
}
