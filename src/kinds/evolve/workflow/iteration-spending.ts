import type { Asked, SpendingLeft } from '../../../contracts/experiment.js';
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

/** So many scaffolds that are given up one after the other are a sign of an outage. */
const MOST_GIVEN_UP = 2;

/** What an iteration may still begin, and what it has paid. */
export class IterationSpending {
  fatal: string | null = null;
  exhausted: string | null = null;
  handingOver = false;
  private readonly costs: ScaffoldCosts;
  private readonly budget: Budget;
  private readonly givenUpInARow = new Set<string>();

  constructor(
    private readonly plan: Pick<EvolvePlan, 'limits' | 'executor'>,
    public control: Asked,
    public totals: EvolveTotals,
    spent?: ScaffoldSpending,
  ) {
    this.costs = new ScaffoldCosts(spent);
    this.budget = new Budget(plan.limits, () => spendingOf(this.totals));
  }

  onControl(control: Asked): void {
    this.control = control;
    if (this.mustEnd()) this.budget.close();
  }

  get spent(): ScaffoldSpending {
    return this.costs.spent;
  }

  /** The scaffolds with what they have cost. */
  addedTo(nodes: readonly ScaffoldNode[]): ScaffoldNode[] {
    return this.costs.addedTo(nodes);
  }

  mustEnd(): boolean {
    this.exhausted ??= this.control.exhausted;
    return this.control.stopping || this.fatal !== null || this.exhausted !== null;
  }

  /**
   * One call of the scaffolder; what it costs is paid before its reservation ends.
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
        leave: () => this.begin({ calls: 1 }),
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
   * One run of a scaffold's program, or why it has no score.
   * @param paid what was paid for replies that the program finds again, because it is run once more.
   * @throws SuspendedError where no further step may begin, or this one had nothing left to go on with.
   */
  async run(
    scaffold: string,
    work: (left: SpendingLeft) => Promise<ScaffoldRun>,
    paid: StepCost = noStepCost(),
  ): Promise<ScaffoldRun | Unscored> {
    const { executor } = this.plan;
    const most = executor?.max_lm_calls ?? 0;
    const calls = most === 0 ? 0 : Math.max(most - paid.lm_calls, 1);
    // It is stopped when tokens or dollars are spent.
    const release = await this.begin({ calls, byCallsAlone: true });
    let more: StepCost | null = null;
    try {
      const done = await work(this.reserved(calls, paid));
      const spent = costBeyond(done, paid);
      this.totals = addExecution(this.totals, { ...newlyPaid(spent), ok: done.ok });
      this.costs.add(scaffold, spent.cost_usd);
      if (executor === null || done.lm_calls > 0) this.givenUpInARow.clear();
      return done;
    } catch (error) {
      more = this.paidBeforeMore(scaffold, error, paid);
      if (more === null) return this.unscoredBy(scaffold, error, paid);
    } finally {
      release();
    }
    return this.run(scaffold, work, more);
  }

  /** What is left to a program, of calls no more than it has reserved: others may use up the rest meanwhile. */
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
   * What was paid for the replies of a program that has used up the calls which were reserved for it, because the
   * provider failed to answer some, while the experiment has others left: it is run again, and finds them. Null where
   * that is not so.
   */
  private paidBeforeMore(scaffold: string, error: unknown, paid: StepCost): StepCost | null {
    const cost = costAtLimit(error);
    if (cost?.unkept === undefined) return null;
    const spent = costBeyond(cost, paid);
    if (reachedLimit(this.plan.limits, spendingOf(addStep(this.totals, newlyPaid(spent)))) !== null)
      return null;
    this.pay(scaffold, spent);
    const { unkept: _unkept, ...found } = cost;
    return found;
  }

  /** Looked at where a call has to be made: a program may do without, or find its replies in the store. */
  private limitReached(): string | null {
    this.exhausted ??= this.budget.exhausted();
    return this.exhausted;
  }

  /**
   * Waits until a step may begin that makes so many calls at most.
   * @returns what returns them.
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
   * What a run comes to that has no score. A program may be to blame for it alone, and is given up alone; where the next
   * one fares no better, what they need is away.
   * @throws whatever else it failed for.
   */
  private unscoredBy(scaffold: string, error: unknown, paid: StepCost): Unscored {
    const given = givenUp(error);
    if (given === null) throw this.suspendedBy(scaffold, error, paid);
    this.pay(scaffold, costBeyond(given.cost, paid));
    this.givenUpInARow.add(scaffold);
    if (this.givenUpInARow.size < MOST_GIVEN_UP) return { unscored: given.reason };
    this.fatal ??= `${given.reason}; nor has the scaffold before it, so what they need seems to be away. None of this is scored; the same command goes on`;
    throw new SuspendedError();
  }

  /** A step that met a limit is not done; what it has paid is. */
  private suspendedBy(scaffold: string, error: unknown, paid: StepCost): unknown {
    const cost = costAtLimit(error);
    if (cost === null) return error;
    this.pay(scaffold, costBeyond(cost, paid));
    if (this.limitReached() === null) this.exhausted = describeError(error).message;
    return new SuspendedError();
  }
}
