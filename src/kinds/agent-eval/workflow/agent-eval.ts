import { hasCallLimits } from '../../../runtime/budget.js';
import { beginAll } from '../../../workflows/begin-each.js';
import { childResult } from '../../../workflows/child-result.js';
import { REPLACES } from '../../../workflows/children.js';
import { conduct } from '../../../workflows/conduct.js';
import { describeError, isWorkerCrash } from '../../../workflows/failures.js';
import { receive } from '../../../workflows/receive.js';
import { continueAsNew, isCancellation, startChild, workflowInfo } from '../../../workflows/sdk.js';
import { assertContinues } from '../../../workflows/started-rightly.js';
import {
  type AgentEvalCarried,
  type AgentEvalInput,
  type AgentEvalPlan,
  ROLLOUT,
  type RolloutInput,
  type RolloutResult,
  type RolloutTask,
} from '../contracts.js';
import type { AgentEvalResult } from '../results.js';
import { bundles } from './activities.js';
import { AgentEvalControl } from './agent-eval-control.js';
import { isRolloutReport, rolloutReportSignal } from './messages.js';
import { rollout as rolloutWorkflow } from './rollout.js';

interface Due {
  task: RolloutTask;
  rollout: number;
}

/** Lists the rollouts that are not finished yet: the first one of each row, then the second ones. */
function rolloutsDue({ rows, finished }: AgentEvalPlan): Due[] {
  const done = new Set(finished);
  const most = Math.max(0, ...rows.map(({ n_rollouts }) => n_rollouts));
  return Array.from({ length: most }, (_, rollout) =>
    rows
      .filter(({ row, n_rollouts }) => rollout < n_rollouts && !done.has(`${row}/${rollout}`))
      .map((task) => ({ task, rollout })),
  ).flat();
}

function byCall({ grain: _grain, ...plan }: AgentEvalPlan): AgentEvalPlan {
  return plan;
}

async function runRollout(
  plan: AgentEvalPlan,
  { task, rollout }: Due,
  control: AgentEvalControl,
): Promise<void> {
  const { run, experiment, human, agent, user, tool_timeout_sec, agent_model, user_model } = plan;
  const workflowId = `${workflowInfo().workflowId}/${task.row}/${rollout}`;
  const summary = `${task.row} · rollout ${rollout + 1} of ${task.n_rollouts}`;
  control.begins(workflowId);
  const input: RolloutInput = {
    plan: { run, experiment, human, agent, user, tool_timeout_sec, agent_model, user_model },
    task,
    rollout,
    control: control.rolloutControl(),
    limited: hasCallLimits(plan.limits),
  };
  const isHosted = plan.grain === 'unit';
  const handle = isHosted
    ? control.hosted.begin<RolloutResult>({ run, workflowId, type: ROLLOUT, args: [input], summary })
    : await startChild(rolloutWorkflow, { ...REPLACES, workflowId, args: [input], staticSummary: summary });
  control.joined(handle);
  try {
    control.left(handle, await (isHosted ? handle.result() : childResult(handle)));
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (isHosted && isWorkerCrash(error)) return runRollout(byCall(plan), { task, rollout }, control);
    control.broke(handle, `${task.row}, rollout ${rollout + 1}: ${describeError(error).message}`);
  }
}

/**
 * Evaluates an agent on the tasks of bundles, in as many rollouts as each row requires. Every rollout is a child
 * workflow, or that workflow in a worker's process; its result is in the store when it ends. Continues as new when its history grows long, once the rollouts
 * in progress have ended.
 * @param carried state of the previous execution, if this one continues it.
 */
export function agentEval(input: AgentEvalInput, carried?: AgentEvalCarried): Promise<AgentEvalResult> {
  assertContinues(carried);
  const control = new AgentEvalControl(carried);
  receive(rolloutReportSignal, isRolloutReport, (report) => control.receive(report), control);
  return conduct({
    what: 'run',
    carried,
    control,
    prepare: () => bundles.prepareAgentEval(input),
    work: (plan, handOver) =>
      beginAll(rolloutsDue(plan), { control, carried, handOver }, (one) => runRollout(plan, one, control)),
    continueWith: (whole) => continueAsNew<typeof agentEval>(input, whole),
    finalize: (ended) => bundles.finalizeAgentEval(ended),
  });
}
