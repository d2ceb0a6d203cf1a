import { continueAsNew, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import { isShardReport } from '../contracts/incoming.js';
import type { RunCarried, RunInput, RunResult } from '../contracts/run.js';
import { conclude } from './conclude.js';
import { readyToContinue } from './continuation.js';
import { prepared } from './failures.js';
import { progressQuery, reportSignal } from './messages.js';
import { artifacts } from './proxies.js';
import { receive } from './receive.js';
import { takeRequests } from './requests.js';
import { RunControl } from './run-control.js';
import { runShards } from './run-shards.js';
import { assertContinues } from './started-rightly.js';
import { type ExperimentClock, WorkingClock } from './working-clock.js';

/**
 * A dataset of environments × an agent with memory × trials. Prepares, deals the samples to `shard` workflows,
 * and writes the artifacts, however the run ends. Continues as new when its history grows long: the shards hand over
 * their lanes and end first.
 * @param carried from the execution before, when this one continues it.
 */
export async function run(input: RunInput, carried?: RunCarried): Promise<RunResult> {
  assertContinues(carried);
  const startedAt = carried?.started_at ?? Date.now();
  const control = new RunControl(
    workflowInfo().workflowId,
    carried,
    () => workflowInfo().continueAsNewSuggested,
  );
  setHandler(progressQuery, () => control.progress());
  receive(reportSignal, isShardReport, (report) => control.receive(report));
  takeRequests(control);

  const plan = carried?.plan ?? (await prepared(artifacts.prepareRun(input), control));
  control.begin(plan);
  let cancellation: unknown;
  let clock = undefined as ExperimentClock | undefined;
  const begun = { started_at: startedAt, worked_seconds: carried?.worked_seconds };
  try {
    await runShards(plan, control, () => {
      clock = WorkingClock.start(plan, begun, 'run', control);
      return clock;
    });
    if (control.carriesOn()) {
      await readyToContinue();
      const carriedOn = { plan, started_at: startedAt, ...clock?.worked(), ...control.handOver() };
      await continueAsNew<typeof run>(input, carriedOn);
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    cancellation = error;
  }
  return conclude(control, { cancellation, artifacts: plan.artifacts, what: 'run' }, (outcome) =>
    artifacts.finalizeRun({
      plan,
      ...outcome,
      started_at: startedAt,
      ended_at: Date.now(),
      ...clock?.worked(),
    }),
  );
}
