import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { RunInput, RunPlan, RunResult } from '../contracts/run.js';
import { describeError } from './failures.js';
import {
  pauseUpdate,
  progressQuery,
  reportSignal,
  resumeUpdate,
  setConcurrencyUpdate,
  stopUpdate,
} from './messages.js';
import { artifacts } from './proxies.js';
import { RunControl } from './run-control.js';
import { runShards } from './run-shards.js';

/** Turns an activity's final failure into the workflow's own, with the same message. */
async function prepare(input: RunInput): Promise<RunPlan> {
  try {
    return await artifacts.prepareRun(input);
  } catch (error) {
    if (isCancellation(error)) throw error;
    const { type, message } = describeError(error);
    throw ApplicationFailure.nonRetryable(message, type);
  }
}

/**
 * A dataset of environments × an agent with memory × trials. Prepares, deals the samples to `shard` workflows,
 * and writes the artifacts, however the run ends.
 */
export async function run(input: RunInput): Promise<RunResult> {
  const startedAt = Date.now();
  const control = new RunControl(workflowInfo().workflowId);
  setHandler(progressQuery, () => control.progress());
  setHandler(reportSignal, (report) => control.receive(report));
  setHandler(pauseUpdate, () => control.pause(true), { validator: () => control.assertRunning() });
  setHandler(resumeUpdate, () => control.pause(false), { validator: () => control.assertRunning() });
  setHandler(stopUpdate, () => control.stop(), { validator: () => control.assertRunning() });
  setHandler(setConcurrencyUpdate, (lanes) => control.setConcurrency(lanes), {
    validator: (lanes) => control.assertConcurrency(lanes),
  });

  const plan = await prepare(input).catch((error: unknown) => {
    control.setPhase('failed');
    throw error;
  });
  control.begin(plan);
  let cancellation: unknown;
  try {
    await runShards(plan, control, startedAt);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    cancellation = error;
  }
  return CancellationScope.nonCancellable(async () => {
    const { status, message } = control.outcome(cancellation !== undefined);
    control.setPhase('writing');
    const metrics = await artifacts.finalizeRun({
      plan,
      status,
      message,
      started_at: startedAt,
      ended_at: Date.now(),
    });
    control.finish(metrics);
    await condition(allHandlersFinished);
    if (cancellation !== undefined) throw cancellation;
    if (status === 'failed') {
      throw ApplicationFailure.create({
        message: message ?? 'the run failed',
        type: FAILURE_TYPES.runFailed,
        nonRetryable: true,
        details: [{ artifacts: plan.artifacts, metrics } satisfies RunResult],
      });
    }
    return { artifacts: plan.artifacts, metrics };
  });
}
