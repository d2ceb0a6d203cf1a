import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { isShardReport } from '../contracts/incoming.js';
import type { RunCarried, RunInput, RunResult } from '../contracts/run.js';
import { conduct } from './conduct.js';
import { progressQuery, reportSignal } from './messages.js';
import { artifacts } from './proxies.js';
import { receive } from './receive.js';
import { RunControl } from './run-control.js';
import { runShards } from './run-shards.js';
import { assertContinues } from './started-rightly.js';

/**
 * A dataset of environments × an agent with memory × trials. Prepares, deals the samples to `shard` workflows,
 * and writes the artifacts, however the run ends. Continues as new when its history grows long: the shards hand over
 * their lanes and end first.
 * @param carried from the execution before, when this one continues it.
 */
export function run(input: RunInput, carried?: RunCarried): Promise<RunResult> {
  assertContinues(carried);
  const control = new RunControl(
    workflowInfo().workflowId,
    carried,
    () => workflowInfo().continueAsNewSuggested,
  );
  receive(reportSignal, isShardReport, (report) => control.receive(report), control);
  return conduct({
    what: 'run',
    carried,
    control,
    progress: progressQuery,
    prepare: () => artifacts.prepareRun(input),
    work: async (plan, handOver) => {
      await runShards(plan, control);
      if (control.carriesOn()) await handOver();
    },
    continueWith: (whole) => continueAsNew<typeof run>(input, whole),
    finalize: (ended) => artifacts.finalizeRun(ended),
  });
}
