import { type ChildWorkflowHandle, setCurrentDetails } from '@temporalio/workflow';
import type {
  AgentEvalCarried,
  AgentEvalPlan,
  AgentEvalTotals,
  RolloutControl,
  RolloutReport,
  RolloutResult,
} from '../contracts/agent-eval.js';
import type { AgentEvalMetrics, AgentEvalProgress } from '../contracts/agent-eval-results.js';
import { addRollout, noAgentEvalTotals } from '../rollouts/totals.js';
import { reachedLimit } from '../runtime/budget.js';
import { Leases } from '../runtime/leases.js';
import { newlyPaid, spendingOf, withMetrics } from '../runtime/step-cost.js';
import { agentEvalMarkdown } from './agent-eval-markdown.js';
import { Children, tell } from './children.js';
import type { Outcome } from './conduct.js';
import { ExperimentControl } from './experiment-control.js';
import { grantSignal, rolloutControlSignal } from './messages.js';
import type { rollout as rolloutWorkflow } from './rollout.js';

type RolloutHandle = ChildWorkflowHandle<typeof rolloutWorkflow>;

/** A run's state: what its rollouts came to, and what people ask for. */
export class AgentEvalControl extends ExperimentControl<AgentEvalPlan> {
  private metrics: AgentEvalMetrics | null = null;
  private totals: AgentEvalTotals = noAgentEvalTotals();
  private readonly working = new Map<string, RolloutHandle>();
  private leases: Leases | null = null;
  private readonly children = new Children();
  /** By rollout, the number of the newest request for calls. */
  private readonly asks = new Map<string, number>();

  /** @param before what the execution before hands over, when this one continues it. */
  constructor(private readonly before?: Pick<AgentEvalCarried, 'asked' | 'totals'>) {
    super('run', before?.asked);
  }

  begin(plan: AgentEvalPlan): void {
    this.totals = this.before?.totals ?? plan.kept;
    this.planned(plan, { kind: 'agent-eval', model: plan.agent_model });
    this.leases = new Leases(plan.limits, spendingOf(this.totals));
    this.showPhase();
    this.checkLimits();
  }

  /** It may ask for calls before its start is heard of. */
  begins(rollout: string): void {
    this.children.begins(rollout);
    this.leases?.begin(rollout);
  }

  joined(handle: RolloutHandle): void {
    this.working.set(handle.workflowId, handle);
    this.children.joined(handle);
    const control = this.rolloutControl();
    // Whatever was asked for while it was being started.
    if (control.paused || control.exhausted) tell(handle, rolloutControlSignal, control);
    this.grantCalls();
    this.show();
  }

  receive({ from, rollout, spent, wants, ask }: RolloutReport): void {
    this.children.hear(from, () => {
      if (ask !== undefined) this.asks.set(rollout, ask);
      this.leases?.ask(rollout, spent, wants);
      this.grantCalls();
    });
  }

  left(handle: RolloutHandle, result: RolloutResult): void {
    this.working.delete(handle.workflowId);
    this.asks.delete(handle.workflowId);
    const totals = newlyPaid(result.totals);
    this.leases?.end(handle.workflowId, spendingOf(totals));
    this.totals = addRollout(this.totals, { ...result, totals });
    if (result.fatal !== null) this.fail(result.fatal);
    if (result.status === 'suspended') this.unfinished = true;
    this.checkLimits();
    this.grantCalls();
    this.show();
  }

  broke(handle: RolloutHandle, message: string): void {
    this.working.delete(handle.workflowId);
    this.fail(message);
    this.show();
  }

  rolloutControl(): RolloutControl {
    return { paused: this.standing.waits(), exhausted: this.standing.isOver() };
  }

  handOver(): Pick<AgentEvalCarried, 'asked' | 'totals'> {
    return { asked: this.standing.asked(), totals: this.totals };
  }

  override outcome(cancelled: boolean): Outcome {
    if (this.unfinished) this.standing.exhaust('limits: a rollout had nothing left to spend');
    return super.outcome(cancelled);
  }

  finish(metrics: AgentEvalMetrics): void {
    this.metrics = metrics;
    this.totals = withMetrics(this.totals, metrics);
    this.setPhase(metrics.status);
  }

  progress(): AgentEvalProgress {
    const { plan, totals } = this;
    const { phase, concurrency, message } = this.standing;
    const { rollouts, reward, errors, user_faults } = totals;
    const planned = (plan?.rows ?? []).reduce((sum, { n_rollouts }) => sum + n_rollouts, 0);
    return {
      kind: 'agent-eval',
      experiment: plan?.experiment ?? '',
      phase,
      rollouts_planned: planned,
      running: this.working.size,
      ended: rollouts + errors + user_faults,
      totals,
      // At the end, to the last digit what metrics.json has.
      mean_reward: this.metrics?.mean_reward ?? (rollouts === 0 ? null : reward / rollouts),
      agent_model: plan?.agent_model ?? '',
      user_model: plan?.user_model ?? null,
      simulated: plan?.simulated ?? false,
      concurrency,
      artifacts: plan?.artifacts ?? '',
      message,
    };
  }

  private checkLimits(): void {
    if (this.plan === undefined || this.standing.isOver()) return;
    const reached = reachedLimit(this.plan.limits, spendingOf(this.totals));
    if (reached !== null) this.exhaust(reached);
  }

  protected override show(): void {
    setCurrentDetails(agentEvalMarkdown(this.progress(), this.metrics));
  }

  /** One that asks before its start was heard of gets its calls when it was. */
  private grantCalls(): void {
    if (this.leases === null || this.standing.isOver()) return;
    for (const [rollout, calls] of this.leases.grants((one) => this.working.has(one))) {
      tell({ workflowId: rollout }, grantSignal, calls, this.asks.get(rollout));
    }
    const reached = this.leases.exhausted();
    if (reached !== null) this.exhaust(reached);
  }

  protected override passOn(): void {
    const control = this.rolloutControl();
    for (const handle of this.working.values()) tell(handle, rolloutControlSignal, control);
  }
}
