import { isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import type { RunInput, RunResult } from '../contracts/run.js';
import { conclude } from './conclude.js';
import { prepared } from './failures.js';
import { progressQuery, reportSignal } from './messages.js';
import { artifacts } from './proxies.js';
import { takeRequests } from './requests.js';
import { RunControl } from './run-control.js';
import { runShards } from './run-shards.js';

/**
 * A dataset of environments × an agent with memory × trials. Prepares, deals the samples to `shard` workflows,
 * and writes the artifacts, however the run ends.
 */
export async function run(input: RunInput): Promise<RunResult> {
  const startedAt = Date.now();
  const control = new RunControl(workflowInfo().workflowId);
  setHandler(progressQuery, () => control.progress());
  setHandler(reportSignal, (report) => control.receive(report));
  takeRequests(control);

  const plan = await prepared(artifacts.prepareRun(input), control);
  control.begin(plan);
  let cancellation: unknown;
  try {
    await runShards(plan, control, startedAt);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    cancellation = error;
  }
  return conclude(control, { cancellation, artifacts: plan.artifacts, what: 'run' }, (outcome) =>
    artifacts.finalizeRun({ plan, ...outcome, started_at: startedAt, ended_at: Date.now() }),
  );
}
