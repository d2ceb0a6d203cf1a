import { continueAsNew, isCancellation, setHandler, startChild, workflowInfo } from '@temporalio/workflow';
import type {
  AgentEvalCarried,
  AgentEvalInput,
  AgentEvalPlan,
  RolloutTask,
} from '../contracts/agent-eval.js';
import type { AgentEvalResult } from '../contracts/agent-eval-results.js';
import { isRolloutReport } from '../contracts/incoming.js';
import { hasCallLimits } from '../runtime/budget.js';
import { AgentEvalControl } from './agent-eval-control.js';
import { beginEach } from './begin-each.js';
import { childResult } from './child-result.js';
import { REPLACES } from './children.js';
import { conclude } from './conclude.js';
import { readyToContinue } from './continuation.js';
import { describeError, prepared } from './failures.js';
import { agentEvalProgressQuery, rolloutReportSignal } from './messages.js';
import { bundles } from './proxies.js';
import { receive } from './receive.js';
import { takeRequests } from './requests.js';
import { rollout as rolloutWorkflow } from './rollout.js';
import { assertContinues } from './started-rightly.js';
import { WorkingClock } from './working-clock.js';

interface Due {
  task: RolloutTask;
  rollout: number;
}

/** Every rollout that is not finished yet: the first one of each row, then the second ones. */
function rolloutsDue({ rows, finished }: AgentEvalPlan): Due[] {
  const done = new Set(finished);
  const most = Math.max(0, ...rows.map(({ n_rollouts }) => n_rollouts));
  return Array.from({ length: most }, (_, rollout) =>
    rows
      .filter(({ row, n_rollouts }) => rollout < n_rollouts && !done.has(`${row}/${rollout}`))
      .map((task) => ({ task, rollout })),
  ).flat();
}

async function runRollout(
  plan: AgentEvalPlan,
  { task, rollout }: Due,
  control: AgentEvalControl,
): Promise<void> {
  const { run, experiment, human, agent, user, tool_timeout_sec, agent_model, user_model } = plan;
  const workflowId = `${workflowInfo().workflowId}/${task.row}/${rollout}`;
  control.begins(workflowId);
  const handle = await startChild(rolloutWorkflow, {
    ...REPLACES,
    workflowId,
    args: [
      {
        plan: { run, experiment, human, agent, user, tool_timeout_sec, agent_model, user_model },
        task,
        rollout,
        control: control.rolloutControl(),
        leased: hasCallLimits(plan.limits),
      },
    ],
    staticSummary: `${task.row} · rollout ${rollout + 1} of ${task.n_rollouts}`,
  });
  control.joined(handle);
  try {
    control.left(handle, await childResult(handle));
  } catch (error) {
    if (isCancellation(error)) throw error;
    control.broke(handle, `${task.row}, rollout ${rollout + 1}: ${describeError(error).message}`);
  }
}

/**
 * An agent works on the tasks of a bundle, in as many rollouts as each row asks for. Every rollout is a child workflow;
 * what it came to is in the store when it ends. Continues as new when its history grows long: rollouts in flight end
 * first.
 * @param carried from the execution before, when this one continues it.
 */
export async function agentEval(input: AgentEvalInput, carried?: AgentEvalCarried): Promise<AgentEvalResult> {
  assertContinues(carried);
  const startedAt = carried?.started_at ?? Date.now();
  const control = new AgentEvalControl(carried);
  setHandler(agentEvalProgressQuery, () => control.progress());
  receive(rolloutReportSignal, isRolloutReport, (report) => control.receive(report));
  takeRequests(control);

  const plan = carried?.plan ?? (await prepared(bundles.prepareAgentEval(input), control));
  control.begin(plan);
  const begunAt = { started_at: startedAt, worked_seconds: carried?.worked_seconds };
  const clock = WorkingClock.start(plan, begunAt, 'run', control);
  const due = rolloutsDue(plan);
  let cancellation: unknown;
  try {
    const begun = await beginEach(due, { control, begun: carried?.begun ?? 0 }, (one) =>
      runRollout(plan, one, control),
    );
    if (begun === due.length) control.allBegun();
    else if (control.goesOn()) {
      clock.stop();
      await readyToContinue();
      const carriedOn = { plan, begun, started_at: startedAt, ...clock.worked(), ...control.handOver() };
      await continueAsNew<typeof agentEval>(input, carriedOn);
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    cancellation = error;
  }
  clock.stop();
  return conclude(control, { cancellation, artifacts: plan.artifacts, what: 'run' }, (outcome) =>
    bundles.finalizeAgentEval({
      plan,
      ...outcome,
      started_at: startedAt,
      ended_at: Date.now(),
      ...clock.worked(),
    }),
  );
}
