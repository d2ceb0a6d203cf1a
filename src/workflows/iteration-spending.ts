import { condition, workflowInfo } from '@temporalio/workflow';
import type { EvolvePlan, EvolveTotals, ScaffoldNode, ScaffoldRun } from '../contracts/evolve.js';
import type { Asked, Limits, SpendingLeft } from '../contracts/run.js';
import type { StepCost } from '../contracts/step-cost.js';
import { SuspendedError, type Unscored } from '../evolution/iteration-ports.js';
import { ScaffoldCosts, type ScaffoldSpending } from '../evolution/scaffold-costs.js';
import { addExecution } from '../evolution/totals.js';
import { reachedLimit } from '../runtime/budget.js';
import { Reservations } from '../runtime/reservations.js';
import { addStep, spendingOf } from '../runtime/step-cost.js';
import { costAtLimit, describeError, givenUp } from './failures.js';

/** So many scaffolds that are given up one after the other are a sign of an outage. */
const MOST_GIVEN_UP = 2;

/** What a step asks for before it begins. */
interface Wanted {
  /** The most calls that it may make. */
  calls: number;
  limits: Limits;
  /** Whether it makes one in any case. */
  mustCall: boolean;
}

/** What an iteration may still begin, and what it has paid. */
export class IterationSpending {
  fatal: string | null = null;
  exhausted: string | null = null;
  handingOver = false;
  private readonly costs: ScaffoldCosts;
  private readonly reservations = new Reservations();
  private readonly givenUpInARow = new Set<string>();

  constructor(
    private readonly plan: Pick<EvolvePlan, 'limits' | 'executor'>,
    public control: Asked,
    public totals: EvolveTotals,
    spent?: ScaffoldSpending,
  ) {
    this.costs = new ScaffoldCosts(spent);
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
  async call<Step extends StepCost>(scaffold: string, work: () => Promise<Step>): Promise<Step> {
    const release = await this.begin({ calls: 1, limits: this.plan.limits, mustCall: true });
    try {
      const step = await work();
      this.pay(scaffold, step);
      return step;
    } finally {
      release();
    }
  }

  /**
   * One run of a scaffold's program, or why it has no score.
   * @throws SuspendedError where no further step may begin, or this one had nothing left to go on with.
   */
  async run(
    scaffold: string,
    work: (left: SpendingLeft) => Promise<ScaffoldRun>,
  ): Promise<ScaffoldRun | Unscored> {
    const { limits, executor } = this.plan;
    // What a program spends at most of tokens and dollars nobody knows before; it is stopped when they are spent.
    const callsAlone = { ...limits, max_tokens: null, max_cost_usd: null };
    const calls = executor?.max_lm_calls ?? 0;
    const release = await this.begin({ calls, limits: callsAlone, mustCall: false });
    try {
      const done = await work(this.reservations.left(calls, limits, spendingOf(this.totals)));
      this.totals = addExecution(this.totals, done);
      this.costs.add(scaffold, done.cost_usd);
      if (executor === null || done.lm_calls > 0) this.givenUpInARow.clear();
      return done;
    } catch (error) {
      return this.unscoredBy(scaffold, error);
    } finally {
      release();
    }
  }

  /** Looked at where a call has to be made: a program may do without, or find its replies in the store. */
  private limitReached(): string | null {
    this.exhausted ??= reachedLimit(this.plan.limits, spendingOf(this.totals));
    return this.exhausted;
  }

  /**
   * Waits until a step may begin that makes so many calls at most, and reserves them.
   * @returns what gives them back.
   * @throws SuspendedError where no further step may begin.
   */
  private async begin({ calls, limits, mustCall }: Wanted): Promise<() => void> {
    const isOver = () => this.mustEnd() || (mustCall && this.limitReached() !== null);
    const mayBegin = () =>
      !this.control.paused && this.reservations.hasRoom(calls, limits, spendingOf(this.totals));
    // Whoever waits beside it may have been quicker.
    while (!isOver() && !mayBegin()) await condition(() => isOver() || mayBegin());
    if (!this.handingOver && workflowInfo().continueAsNewSuggested) this.handingOver = true;
    if (isOver() || this.handingOver) throw new SuspendedError();
    return this.reservations.reserve(calls);
  }

  private pay(scaffold: string, step: StepCost): void {
    this.totals = addStep(this.totals, step);
    this.costs.add(scaffold, step.cost_usd);
  }

  /**
   * What a run comes to that has no score. A program may be to blame for it alone, and is given up alone; where the next
   * one fares no better, what they need is away.
   * @throws whatever else it failed for.
   */
  private unscoredBy(scaffold: string, error: unknown): Unscored {
    const given = givenUp(error);
    if (given === null) throw this.suspendedBy(scaffold, error);
    this.pay(scaffold, given.cost);
    this.givenUpInARow.add(scaffold);
    if (this.givenUpInARow.size < MOST_GIVEN_UP) return { unscored: given.reason };
    this.fatal ??= `${given.reason}; nor has the scaffold before it, so what they need seems to be away. None of this is scored; the same command goes on`;
    throw new SuspendedError();
  }

  /** A step that met a limit is not done; what it has paid is. */
  private suspendedBy(scaffold: string, error: unknown): unknown {
    const cost = costAtLimit(error);
    if (cost === null) return error;
    this.pay(scaffold, cost);
    if (this.limitReached() === null) this.exhausted = describeError(error).message;
    return new SuspendedError();
  }
}
