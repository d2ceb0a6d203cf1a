import type { Asked } from '../../../contracts/experiment.js';
import { spentOf } from '../../../runtime/step-cost.js';
import { Children, tell } from '../../../workflows/children.js';
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

/** Lines that the progress query answers with. */
const LINES_KEPT = 200;

/** An evolution's state: what its iteration reports and what people ask for. */
export class EvolveControl extends ExperimentControl<EvolvePlan, EvolveProgress> {
  /** Iterations that are finished. */
  private finished = 0;
  private working: IterationHandle | null = null;
  private readonly children = new Children();
  private readonly nodes = new Map<string, ScaffoldNode>();
  private totals = noEvolveTotals();
  private lines: string[];
  private lineCount: number;
  private unlogged: { line: string; at: number }[] = [];

  /** @param before what the execution before hands over, when this one continues it. */
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

  /** For an execution that continues this one. */
  handOver(): Pick<EvolveCarried, 'asked' | 'said'> {
    return { asked: this.standing.asked(), said: { lines: this.lines, line_count: this.lineCount } };
  }

  begins(workflowId: string): void {
    this.children.begins(workflowId);
  }

  /** Starts to hear of an iteration. */
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
    if (result.fatal !== null) this.standing.fail(result.fatal);
    if (result.exhausted !== null) this.standing.exhaust(result.exhausted);
    if (result.state !== null) {
      this.tell(bestSoFarLine([...this.nodes.values()]));
      this.unlogged = [];
    }
    this.show();
  }

  broke(message: string): void {
    this.working = null;
    this.standing.fail(message);
  }

  receive(report: IterationReport): void {
    this.children.hear(report.from, () => this.hear(report));
  }

  private hear({ from, lines, nodes, totals }: IterationReport): void {
    // What it says when it ends comes last, whatever arrives later.
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

  /** What was told of an iteration that did not come to its end: a finished one has logged its lines. */
  unloggedLines(): { lines: string[]; line_times: number[] } {
    return { lines: this.unlogged.map(({ line }) => line), line_times: this.unlogged.map(({ at }) => at) };
  }

  asked(): Asked {
    return this.standing.asked();
  }

  override finish(metrics: EvolveMetrics): void {
    this.tell(bestLine(metrics.best));
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

  private tell(line: string | null): void {
    if (line !== null) this.say(line);
  }

  private say(line: string): void {
    this.unlogged.push({ line, at: Date.now() });
    this.lines = [...this.lines, line].slice(-LINES_KEPT);
    this.lineCount += 1;
  }

  protected override passOn(): void {
    if (this.working !== null) tell(this.working, evolveControlSignal, this.asked());
  }
}
