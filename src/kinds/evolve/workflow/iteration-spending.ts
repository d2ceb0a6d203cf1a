import type { ReceivedRequests, SpendingLeft } from '../../../contracts/experiment.js';
import type { AskedBefore, StepCost } from '../../../contracts/step-cost.js';
import { Budget, type CallRequest, hasCallLimits, reachedLimit } from '../../../runtime/budget.js';
import { addStep, costBeyond, newlyPaid, noStepCost, spendingOf } from '../../../runtime/step-cost.js';
import { costAtLimit, describeError, givenUp } from '../../../workflows/failures.js';
import { requestUntilAnswered } from '../../../workflows/request-until-answered.js';
import { condition, workflowInfo } from '../../../workflows/sdk.js';
import type { EvolvePlan, EvolveTotals, ScaffoldNode, ScaffoldRun } from '../contracts.js';
import { SuspendedError, type Unscored } from '../evolution/iteration-ports.js';
import { ScaffoldCosts, type ScaffoldSpending } from '../evolution/scaffold-costs.js';
import { addExecution } from '../evolution/totals.js';

/** Number of consecutive scaffolds given up that means an outage. */
const MAX_GIVEN_UP = 2;

/** Spending of an iteration, and the decision on what may still begin. */
export class IterationSpending {
  fatal: string | null = null;
  exhausted: string | null = null;
  handingOver = false;
  private readonly costs: ScaffoldCosts;
  private readonly budget: Budget;
  private readonly givenUpInARow = new Set<string>();

  constructor(
    private readonly plan: Pick<EvolvePlan, 'limits' | 'executor'>,
    public control: ReceivedRequests,
    public totals: EvolveTotals,
    spent?: ScaffoldSpending,
  ) {
    this.costs = new ScaffoldCosts(spent);
    this.budget = new Budget(plan.limits, () => spendingOf(this.totals));
  }

  onControl(control: ReceivedRequests): void {
    this.control = control;
    if (this.mustEnd()) this.budget.close();
  }

  get spent(): ScaffoldSpending {
    return this.costs.spent;
  }

  /** Returns the scaffolds with their costs. */
  addedTo(nodes: readonly ScaffoldNode[]): ScaffoldNode[] {
    return this.costs.addedTo(nodes);
  }

  mustEnd(): boolean {
    this.exhausted ??= this.control.exhausted;
    return this.control.stopping || this.fatal !== null || this.exhausted !== null;
  }

  /**
   * Makes one call of the scaffolder; its cost is counted before its grant is returned.
   * @throws SuspendedError where no further step may begin.
   */
  call<Step extends StepCost>(
    scaffold: string,
    send: (before: { before?: AskedBefore }) => Promise<Step>,
  ): Promise<Step> {
    const { limits } = this.plan;
    return requestUntilAnswered(
      {
        isLimited: hasCallLimits(limits),
        request: () => this.begin({ calls: 1 }),
        answered: (step, release) => {
          this.pay(scaffold, step);
          release();
        },
        failed: (cost, _error, release) => {
          this.totals = addStep(this.totals, cost);
          release();
        },
      },
      send,
    );
  }

  /**
   * Runs a scaffold's program, again where it needs more calls than it was granted. Returns the run, or why it has no
   * score.
   * @throws SuspendedError where no further step may begin, or this one had nothing left to continue with.
   */
  async run(
    scaffold: string,
    work: (left: SpendingLeft) => Promise<ScaffoldRun>,
  ): Promise<ScaffoldRun | Unscored> {
    for (let paid: StepCost = noStepCost(); ; ) {
      const done = await this.runOnce(scaffold, work, paid);
      if (!('again' in done)) return done;
      paid = done.again;
    }
  }

  /**
   * Runs a scaffold's program once.
   * @param paid cost of the replies that the program finds again.
   * @returns its run, why it has no score, or what it finds again where it is to be run once more.
   */
  private async runOnce(
    scaffold: string,
    work: (left: SpendingLeft) => Promise<ScaffoldRun>,
    paid: StepCost,
  ): Promise<ScaffoldRun | Unscored | { again: StepCost }> {
    const { executor } = this.plan;
    const max = executor?.max_lm_calls ?? 0;
    const calls = max === 0 ? 0 : Math.max(max - paid.lm_calls, 1);
    // It is stopped when tokens or dollars are spent.
    const release = await this.begin({ calls, byCallsAlone: true });
    try {
      const done = await work(this.reserved(calls, paid));
      const spent = costBeyond(done, paid);
      this.totals = addExecution(this.totals, { ...newlyPaid(spent), ok: done.ok });
      this.costs.add(scaffold, spent.cost_usd);
      if (executor === null || done.lm_calls > 0) this.givenUpInARow.clear();
      return done;
    } catch (error) {
      const again = this.paidBeforeMore(scaffold, error, paid);
      return again === null ? this.unscoredBy(scaffold, error, paid) : { again };
    } finally {
      release();
    }
  }

  /**
   * Returns what is left for a program, with no more calls than it was granted: others may spend the rest meanwhile.
   */
  private reserved(calls: number, paid: StepCost): SpendingLeft {
    const left = this.budget.leftFor(calls);
    const own = spendingOf(newlyPaid(paid));
    const lm_calls = left.lm_calls === null || calls === 0 ? left.lm_calls : Math.min(left.lm_calls, calls);
    return {
      lm_calls: lm_calls === null ? null : lm_calls + own.lm_calls,
      tokens: left.tokens === null ? null : left.tokens + own.tokens,
      cost_usd: left.cost_usd === null ? null : left.cost_usd + (own.cost_usd ?? 0),
    };
  }

  /**
   * Returns the cost of the replies of a program that has spent its granted calls, because the provider failed to
   * answer some, while the experiment has others left: it is run again, and finds these replies. Null in any other
   * case.
   */
  private paidBeforeMore(scaffold: string, error: unknown, paid: StepCost): StepCost | null {
    const cost = costAtLimit(error);
    if (cost?.unrecorded === undefined) return null;
    const spent = costBeyond(cost, paid);
    if (reachedLimit(this.plan.limits, spendingOf(addStep(this.totals, newlyPaid(spent)))) !== null)
      return null;
    this.pay(scaffold, spent);
    const { unrecorded: _unrecorded, ...found } = cost;
    return found;
  }

  /** Checked where a call has to be made: a program may need none, or find its replies in the store. */
  private limitReached(): string | null {
    this.exhausted ??= this.budget.exhausted();
    return this.exhausted;
  }

  /**
   * Waits until a step may begin that makes at most the requested calls.
   * @returns a function that returns the grant.
   * @throws SuspendedError where no further step may begin.
   */
  private async begin(request: CallRequest): Promise<() => void> {
    const waits = () => this.control.paused && !this.mustEnd();
    if (waits()) await condition(() => !waits());
    if (this.mustEnd()) throw new SuspendedError();
    const calls = await new Promise<number>((resolve) => this.budget.request(request, resolve));
    const granted = request.calls === 0 || calls > 0;
    if (!granted) this.limitReached();
    if (!this.handingOver && workflowInfo().continueAsNewSuggested) this.handingOver = true;
    const release = () => this.budget.ended(request.calls);
    if (granted && !this.mustEnd() && !this.handingOver) return release;
    if (granted) release();
    throw new SuspendedError();
  }

  private pay(scaffold: string, step: StepCost): void {
    this.totals = addStep(this.totals, newlyPaid(step));
    this.costs.add(scaffold, step.cost_usd);
  }

  /**
   * Handles a run without a score. A program may be the cause itself, and is given up alone; where the next one fails
   * too, what they need is unreachable.
   * @throws any other failure.
   */
  private unscoredBy(scaffold: string, error: unknown, paid: StepCost): Unscored {
    const given = givenUp(error);
    if (given === null) throw this.suspendedBy(scaffold, error, paid);
    this.pay(scaffold, costBeyond(given.cost, paid));
    this.givenUpInARow.add(scaffold);
    if (this.givenUpInARow.size < MAX_GIVEN_UP) return { unscored: given.reason };
    this.fatal ??= `${given.reason}; nor has the scaffold before it, so what they need seems to be unreachable. None of this is scored; the same command continues`;
    throw new SuspendedError();
  }

  /** Returns the error to throw. A step at a limit is not done, but its cost counts. */
  private suspendedBy(scaffold: string, error: unknown, paid: StepCost): unknown {
    const cost = costAtLimit(error);
    if (cost === null) return error;
    this.pay(scaffold, costBeyond(cost, paid));
    if (this.limitReached() === null) this.exhausted = describeError(error).message;
    return new SuspendedError();
  }
}
