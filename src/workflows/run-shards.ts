import { isCancellation, startChild, workflowInfo } from '@temporalio/workflow';
import type { ControlState, RunPlan } from '../contracts/run.js';
import { settleAll } from '../runtime/settle-all.js';
import { describeError } from './failures.js';
import type { RunControl } from './run-control.js';
import { shard as shardWorkflow } from './shard.js';
import { watchTheClock } from './wall-limit.js';

/** Deals the plan's samples to its shards and waits for all of them. Rejects only with a cancellation. */
export async function runShards(plan: RunPlan, control: RunControl, startedAt: number): Promise<void> {
  if (plan.slots === 0) return;
  const numbers = Array.from({ length: plan.shards }, (_, shard) => shard);
  const started = control.deal(numbers);
  const shards = numbers.map(async (shard) => {
    const handle = await startChild(shardWorkflow, {
      workflowId: `${workflowInfo().workflowId}/shard-${shard}`,
      args: [{ plan, shard, control: started.get(shard) as ControlState }],
      staticSummary: `shard ${shard + 1} of ${plan.shards} · ${plan.experiment}`,
    });
    control.joined(shard, handle);
    try {
      control.left(shard, await handle.result());
    } catch (error) {
      if (isCancellation(error)) throw error;
      control.broke(shard, describeError(error).message);
    }
  });
  const stopWatching = watchTheClock(plan, startedAt, 'run', control);
  try {
    await settleAll(shards);
  } finally {
    stopWatching();
  }
}
