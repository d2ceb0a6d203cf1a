import type { ReceivedRequests } from '../../../contracts/experiment.js';
import { spentOf } from '../../../runtime/step-cost.js';
import { Children, signalTo } from '../../../workflows/children.js';
import { ExperimentControl } from '../../../workflows/experiment-control.js';
import type { ChildWorkflowHandle } from '../../../workflows/sdk.js';
import type {
  EvolveCarried,
  EvolvePlan,
  EvolveState,
  IterationReport,
  IterationResult,
  ScaffoldNode,
} from '../contracts.js';
import { compareScaffoldIds } from '../evolution/ids.js';
import { bestScaffold } from '../evolution/lineage.js';
import { bestLine, bestSoFarLine } from '../evolution/progress-lines.js';
import { noEvolveTotals } from '../evolution/totals.js';
import { EVOLVE_FACTS, unscoredErrors } from '../facts.js';
import type { EvolveMetrics, EvolveProgress } from '../results.js';
import type { iteration as iterationWorkflow } from './iteration.js';
import { evolveControlSignal } from './messages.js';

type IterationHandle = ChildWorkflowHandle<typeof iterationWorkflow>;

/** Maximum lines that the progress query returns. */
const LINES_KEPT = 200;

/** State of an evolution: reports of its iteration, and requests of people. */
export class EvolveControl extends ExperimentControl<EvolvePlan, EvolveProgress> {
  /** Number of finished iterations. */
  private finished = 0;
  private working: IterationHandle | null = null;
  private readonly children = new Children();
  private readonly nodes = new Map<string, ScaffoldNode>();
  private totals = noEvolveTotals();
  private lines: string[];
  private lineCount: number;
  private unlogged: { line: string; at: number }[] = [];

  /** @param before state of the execution before, when this one continues it. */
  constructor(before?: Pick<EvolveCarried, 'asked' | 'said'>) {
    super('experiment', EVOLVE_FACTS, before?.asked);
    this.lines = before?.said.lines ?? [];
    this.lineCount = before?.said.line_count ?? 0;
  }

  begin(plan: EvolvePlan): void {
    this.settle(plan.state);
    this.planned(plan, { kind: 'evolve', model: plan.scaffolder_model });
    this.showPhase();
  }

  /** Returns the state for an execution that continues this one. */
  handOver(): Pick<EvolveCarried, 'asked' | 'said'> {
    return { asked: this.status.asked(), said: { lines: this.lines, line_count: this.lineCount } };
  }

  begins(workflowId: string): void {
    this.children.begins(workflowId);
  }

  /** Begins to receive the reports of an iteration. */
  joined(handle: IterationHandle, line: string): void {
    this.children.joined(handle);
    this.say(line);
    this.working = handle;
    this.passOn();
    this.show();
  }

  left(result: IterationResult): void {
    this.working = null;
    for (const line of result.lines) this.say(line);
    this.totals = result.totals;
    if (result.state !== null) this.settle(result.state);
    if (result.fatal !== null) this.status.fail(result.fatal);
    if (result.exhausted !== null) this.status.exhaust(result.exhausted);
    if (result.state !== null) {
      this.signalTo(bestSoFarLine([...this.nodes.values()]));
      this.unlogged = [];
    }
    this.show();
  }

  broke(message: string): void {
    this.working = null;
    this.status.fail(message);
  }

  receive(report: IterationReport): void {
    this.children.received(report.from, () => this.received(report));
  }

  private received({ from, lines, nodes, totals }: IterationReport): void {
    // Reports that arrive after the iteration's result are dropped.
    if (this.working?.firstExecutionRunId !== from.first) return;
    for (const line of lines) this.say(line);
    for (const node of nodes) this.nodes.set(node.id, node);
    this.totals = totals;
    this.show();
  }

  override setConcurrency(concurrency: number): number {
    const before = super.setConcurrency(concurrency);
    this.passOn();
    return before;
  }

  /** Returns the lines of an unfinished iteration: a finished one has logged its lines. */
  unloggedLines(): { lines: string[]; line_times: number[] } {
    return { lines: this.unlogged.map(({ line }) => line), line_times: this.unlogged.map(({ at }) => at) };
  }

  asked(): ReceivedRequests {
    return this.status.asked();
  }

  override finish(metrics: EvolveMetrics): void {
    this.signalTo(bestLine(metrics.best));
    super.finish(metrics);
  }

  protected override modelsOf({ scaffolder_model, executor_model }: EvolvePlan) {
    return { scaffolder: scaffolder_model, executor: executor_model };
  }

  protected override counted() {
    const { plan, totals } = this;
    const nodes = [...this.nodes.values()].sort((left, right) => compareScaffoldIds(left.id, right.id));
    const best = bestScaffold(nodes);
    return {
      kind: 'evolve' as const,
      units: {
        noun: 'iteration',
        planned: plan === undefined ? 0 : plan.num_iterations + 1,
        ended: this.finished,
        running: this.working === null ? 0 : 1,
      },
      ...unscoredErrors(nodes.filter(({ status }) => status === 'unscored').length),
      spending: spentOf(totals),
      best: best === null ? null : { id: best.id, score: best.score },
      nodes,
      executions: totals.executions,
      executions_failed: totals.executions_failed,
      lines: this.lines,
      line_count: this.lineCount,
    };
  }

  private settle({ nodes, totals, next_iteration }: EvolveState): void {
    this.finished = next_iteration;
    for (const node of nodes) this.nodes.set(node.id, node);
    this.totals = totals;
  }

  private signalTo(line: string | null): void {
    if (line !== null) this.say(line);
  }

  private say(line: string): void {
    this.unlogged.push({ line, at: Date.now() });
    this.lines = [...this.lines, line].slice(-LINES_KEPT);
    this.lineCount += 1;
  }

  protected override passOn(): void {
    if (this.working !== null) signalTo(this.working, evolveControlSignal, this.asked());
  }
}
