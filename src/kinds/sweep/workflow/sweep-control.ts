import type { Limits } from '../../../contracts/experiment.js';
import type { ExperimentMetrics, RunStatus } from '../../../contracts/results.js';
import { reachedLimit, spendingLeft } from '../../../runtime/budget.js';
import { addSpending, addStep, noStepCost, spendingOf, spentOf } from '../../../runtime/step-cost.js';
import { signalTo } from '../../../workflows/children.js';
import type { ExperimentOutcome } from '../../../workflows/conduct.js';
import { ExperimentControl } from '../../../workflows/experiment-control.js';
import { pauseSignal, resumeSignal, stopSignal } from '../../../workflows/messages.js';
import type { PartReport } from '../../../workflows/part-report.js';
import { workflowInfo } from '../../../workflows/sdk.js';
import type { CellState, EndedCell, SweepCarried, SweepPlan, SweepProgress } from '../contracts.js';
import { SWEEP_FACTS } from '../facts.js';

const NOTHING = spendingOf(noStepCost());
const SIGNALS = { run: resumeSignal, pause: pauseSignal, stop: stopSignal } as const;

/** Control of a sweep: which cells are due, and what each may spend of the one budget. */
export class SweepControl extends ExperimentControl<SweepPlan, SweepProgress> {
  private cells: CellState[];
  /** Cells that are due, in order; one that used up its share is due again after the others. */
  private due: number[] = [];
  /** Limits of the cells in flight. */
  private readonly shares = new Map<number, Limits>();
  /** Cells in flight whose workflow is known, by its ID. */
  private readonly working = new Map<string, number>();
  private asked: keyof typeof SIGNALS = 'run';

  /** @param before state of the previous execution, if this one continues it. */
  constructor(private readonly before?: Pick<SweepCarried, 'asked' | 'cells'>) {
    super('sweep', SWEEP_FACTS, before?.asked);
    this.cells = before?.cells ?? [];
  }

  begin(plan: SweepPlan): void {
    if (this.before === undefined) {
      this.cells = plan.cells.map(({ cost, done }) => ({
        status: done ? 'done' : 'waiting',
        cost: cost ?? noStepCost(),
        part: done ? 1 : 0,
      }));
    }
    this.due = this.cells.flatMap(({ status }, index) => (status === 'waiting' ? [index] : []));
    this.planned(plan, { kind: 'sweep', model: plan.model });
    this.showPhase();
  }

  mayBegin(): boolean {
    const { continueAsNewSuggested } = workflowInfo();
    return !continueAsNewSuggested && this.status.hasRoom(this.shares.size) && this.shareOfNext() !== null;
  }

  /** Reports whether nothing is in flight, and nothing may be begun even if it is resumed. */
  isDone(): boolean {
    if (this.shares.size > 0) return false;
    const { continueAsNewSuggested } = workflowInfo();
    return !this.continues() || continueAsNewSuggested || this.shareOfNext() === null;
  }

  isLeft(): boolean {
    return this.due.length > 0;
  }

  /** Takes the next cell that is due. */
  next(): number {
    const share = this.shareOfNext();
    const index = this.due.shift();
    if (index === undefined || share === null) throw new Error('no cell may be begun');
    this.shares.set(index, share);
    return index;
  }

  /** Notes that a cell begins. @returns its limits, what it has spent before included */
  begins(index: number): Limits {
    this.cell(index).status = 'running';
    this.show();
    return this.shares.get(index) as Limits;
  }

  joined(index: number, workflowId: string): void {
    this.working.set(workflowId, index);
    // Requests may have come while it was being started.
    if (this.asked !== 'run') signalTo({ workflowId }, SIGNALS[this.asked]);
  }

  receive({ workflow_id, spending, part }: PartReport): void {
    const index = this.working.get(workflow_id);
    if (index === undefined) return;
    Object.assign(this.cell(index), { cost: { ...noStepCost(), ...spending }, part });
    this.show();
  }

  ended(index: number, { artifacts, metrics }: { artifacts: string; metrics: ExperimentMetrics }): EndedCell {
    const { status, status_message: message, lm_calls, usage, cost_usd, unrecorded } = metrics;
    const cell = this.cell(index);
    const cost = { lm_calls, usage, cost_usd, ...(unrecorded === undefined ? {} : { unrecorded }) };
    this.leave(index, status);
    const spent = spendingOf(cost);
    const share = this.shares.get(index);
    // One that ended short of its share, though it reached it, needs more at once than there is.
    const usedIt = share !== undefined && reachedLimit(share, spent) !== null;
    if (status === 'limit_reached' && usedIt) {
      cell.status = 'waiting';
      this.due.push(index);
    }
    cell.cost = cost;
    cell.part = status === 'done' ? 1 : cell.part;
    return { status, message, artifacts };
  }

  broke(index: number, status: 'failed' | 'cancelled', message: string | null): EndedCell {
    this.leave(index, status);
    return { status, message, artifacts: null };
  }

  /** Notes that the end of a cell is recorded: its share is free for others. */
  free(index: number): void {
    this.shares.delete(index);
    this.show();
  }

  /** Notes that nothing is in flight, and that no more is begun. */
  allEnded(): void {
    const { plan, cells } = this;
    this.unfinished = cells.some(({ status }) => status !== 'done');
    const isShort = this.isLeft() || cells.some(({ status }) => status === 'limit_reached');
    if (isShort && this.continues() && plan !== undefined) {
      this.exhaust(reachedLimit(plan.limits, this.spent()) ?? 'limits: a cell had nothing left to spend');
    }
    this.allBegun();
  }

  override outcome(cancelled: boolean): ExperimentOutcome {
    const outcome = super.outcome(cancelled);
    const open = this.cells.filter(({ status }) => status !== 'done').length;
    if (outcome.status !== 'done' || open === 0) return outcome;
    return { status: 'incomplete', message: `${open} of ${this.cells.length} cells are not complete` };
  }

  handOver(): Pick<SweepCarried, 'asked' | 'cells'> {
    return { asked: this.status.asked(), cells: this.cells };
  }

  protected override modelsOf({ model }: SweepPlan) {
    return { models: model };
  }

  protected override counted() {
    const { cells, plan } = this;
    const failed = cells.filter(({ status }) => status === 'failed').length;
    const isOpen = ({ status }: CellState) => status === 'waiting' || status === 'running';
    return {
      kind: 'sweep' as const,
      units: {
        noun: 'cell',
        planned: cells.length,
        ended: cells.filter((cell) => !isOpen(cell)).length,
        running: this.shares.size,
      },
      errors: failed,
      errors_by_type: (failed === 0 ? {} : { cell_failed: failed }) as Record<string, number>,
      spending: spentOf(cells.reduce((sum, { cost }) => addStep(sum, cost), noStepCost())),
      cells: cells.map(({ status, part, cost: { lm_calls, cost_usd } }, index) => ({
        name: plan?.cells[index]?.name ?? '',
        status,
        part,
        lm_calls,
        cost_usd,
      })),
    };
  }

  protected override passOn(): void {
    const asked = !this.continues() ? 'stop' : this.isPaused() ? 'pause' : 'run';
    if (asked === this.asked) return;
    this.asked = asked;
    for (const workflowId of this.working.keys()) signalTo({ workflowId }, SIGNALS[asked]);
  }

  private leave(index: number, status: RunStatus): void {
    this.cell(index).status = status;
    for (const [workflowId, working] of this.working) if (working === index) this.working.delete(workflowId);
  }

  private cell(index: number): CellState {
    return this.cells[index] as CellState;
  }

  private spent() {
    return this.cells.reduce((sum, { cost }) => addSpending(sum, spendingOf(cost)), NOTHING);
  }

  /**
   * Returns the limits of the next cell: what it has spent, and its share of what is neither spent nor another cell's;
   * null if none is due, or nothing is left.
   */
  private shareOfNext(): Limits | null {
    const { plan, cells, due, shares } = this;
    const [index] = due;
    if (plan === undefined || index === undefined) return null;
    const own = spendingOf(this.cell(index).cost);
    const others = cells.reduce((sum, { cost }, other) => {
      const spent = spendingOf(cost);
      const share = shares.get(other);
      if (other === index) return sum;
      return addSpending(sum, {
        lm_calls: Math.max(spent.lm_calls, share?.max_lm_calls ?? 0),
        tokens: Math.max(spent.tokens, share?.max_tokens ?? 0),
        cost_usd: Math.max(spent.cost_usd ?? 0, share?.max_cost_usd ?? 0),
      });
    }, NOTHING);
    const left = spendingLeft(plan.limits, addSpending(others, { ...own, cost_usd: own.cost_usd ?? 0 }));
    if (Object.values(left).some((amount) => amount !== null && amount <= 0)) return null;
    const whole = (amount: number | null, spent: number) =>
      amount === null ? null : spent + Math.max(1, Math.floor(amount / due.length));
    return {
      max_lm_calls: whole(left.lm_calls, own.lm_calls),
      max_tokens: whole(left.tokens, own.tokens),
      max_cost_usd: left.cost_usd === null ? null : (own.cost_usd ?? 0) + left.cost_usd / due.length,
      // The sweep's own clock counts its time.
      max_wall_seconds: null,
    };
  }
}
