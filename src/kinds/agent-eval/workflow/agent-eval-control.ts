import { ChildBudgets } from '../../../runtime/child-budget.js';
import { newlyPaid, spendingOf, spentOf } from '../../../runtime/step-cost.js';
import { sumOf } from '../../../statistics/sums.js';
import { Children } from '../../../workflows/children.js';
import type { ExperimentOutcome } from '../../../workflows/conduct.js';
import { ExperimentControl } from '../../../workflows/experiment-control.js';
import { HostedUnits } from '../../../workflows/hosted-units.js';
import { grantSignal } from '../../../workflows/messages.js';
import { type ChildWorkflowHandle, workflowInfo } from '../../../workflows/sdk.js';
import type {
  AgentEvalCarried,
  AgentEvalPlan,
  AgentEvalTotals,
  RolloutControl,
  RolloutReport,
  RolloutResult,
} from '../contracts.js';
import { AGENT_EVAL_FACTS } from '../facts.js';
import type { AgentEvalProgress } from '../results.js';
import { addRollout, noAgentEvalTotals } from '../rollouts/totals.js';
import { rolloutControlSignal } from './messages.js';
import type { rollout as rolloutWorkflow } from './rollout.js';

type RolloutHandle = Pick<
  ChildWorkflowHandle<typeof rolloutWorkflow>,
  'workflowId' | 'firstExecutionRunId' | 'result'
>;

/** State of a run: the totals of its rollouts, and the requests of people. */
export class AgentEvalControl extends ExperimentControl<AgentEvalPlan, AgentEvalProgress> {
  private totals: AgentEvalTotals = noAgentEvalTotals();
  private readonly working = new Map<string, RolloutHandle>();
  /** When each of them was begun, in milliseconds since 1970. */
  private readonly begun = new Map<string, number>();
  private budgets: ChildBudgets | undefined;
  private readonly children = new Children();
  readonly hosted = new HostedUnits();

  /** @param before state of the previous execution, if this one continues it. */
  constructor(private readonly before?: Pick<AgentEvalCarried, 'asked' | 'totals'>) {
    super('run', AGENT_EVAL_FACTS, before?.asked);
  }

  begin(plan: AgentEvalPlan): void {
    this.totals = this.before?.totals ?? plan.kept;
    this.planned(plan, { kind: 'agent-eval', model: plan.agent_model });
    this.budgets = new ChildBudgets(plan.limits, () => spendingOf(this.totals), {
      granted: (workflowId, calls) => this.hosted.signal({ workflowId }, grantSignal, calls),
      refused: () => this.checkLimits(),
    });
    this.showPhase();
    this.checkLimits();
  }

  /** Registers a rollout before its start, because it may request calls before its start is confirmed. */
  begins(rollout: string): void {
    this.begun.set(rollout, Date.now());
    this.children.begins(rollout);
    this.budgets?.begin(rollout);
  }

  joined(handle: RolloutHandle): void {
    this.working.set(handle.workflowId, handle);
    this.children.joined(handle);
    const control = this.rolloutControl();
    // The control may have changed while the rollout was being started.
    if (control.paused || control.exhausted) this.hosted.signal(handle, rolloutControlSignal, control);
    this.show();
  }

  receive({ from, rollout, budget }: RolloutReport): void {
    this.children.received(from, () => this.budgets?.onReport(rollout, budget));
  }

  left(handle: RolloutHandle, result: RolloutResult): void {
    this.leave(handle);
    const totals = newlyPaid(result.totals);
    this.totals = addRollout(this.totals, { ...result, totals });
    if (result.fatal !== null) this.fail(result.fatal);
    if (result.status === 'suspended') this.unfinished = true;
    // Its spending is settled: counted once more as a child's, it would end the others too early.
    this.budgets?.end(handle.workflowId);
    this.checkLimits();
    this.show();
  }

  broke(handle: RolloutHandle, message: string): void {
    this.leave(handle);
    this.fail(message);
    this.show();
  }

  private leave({ workflowId }: RolloutHandle): void {
    this.working.delete(workflowId);
    this.begun.delete(workflowId);
  }

  protected override *inProgress(): Iterable<[string, number]> {
    const { length } = workflowInfo().workflowId;
    for (const [workflowId, since] of this.begun) yield [workflowId.slice(length + 1), since];
  }

  rolloutControl(): RolloutControl {
    return { paused: this.status.waits(), exhausted: this.status.isOver() };
  }

  handOver(): Pick<AgentEvalCarried, 'asked' | 'totals'> {
    return { asked: this.status.asked(), totals: this.totals };
  }

  override outcome(cancelled: boolean): ExperimentOutcome {
    if (this.unfinished) this.status.exhaust('limits: a rollout had nothing left to spend');
    return super.outcome(cancelled);
  }

  protected override modelsOf({ agent_model, user_model }: AgentEvalPlan) {
    return { agent: agent_model, user: user_model };
  }

  protected override counted() {
    const { plan, totals } = this;
    const { rollouts, reward, errors, errors_by_type = {}, user_faults } = totals;
    return {
      kind: 'agent-eval' as const,
      ...(plan?.means === undefined ? {} : { means: plan.means }),
      units: {
        noun: 'rollout',
        planned: sumOf((plan?.rows ?? []).map(({ n_rollouts }) => n_rollouts)),
        ended: rollouts + errors + user_faults,
        running: this.working.size,
      },
      errors,
      errors_by_type,
      spending: spentOf(totals),
      mean_reward: rollouts === 0 ? null : reward / rollouts,
      user_faults,
      agent_turns: totals.agent_turns,
      tool_calls: totals.tool_calls,
      tool_calls_failed: totals.tool_calls_failed,
    };
  }

  private checkLimits(): void {
    if (this.status.isOver()) return;
    const reached = this.budgets?.exhausted() ?? null;
    if (reached !== null) this.exhaust(reached);
  }

  protected override passOn(): void {
    if (this.status.isOver()) this.budgets?.close();
    const control = this.rolloutControl();
    for (const handle of this.working.values()) this.hosted.signal(handle, rolloutControlSignal, control);
  }
}
