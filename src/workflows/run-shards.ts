import { isCancellation, startChild, workflowInfo } from '@temporalio/workflow';
import type { RunPlan } from '../contracts/run.js';
import { settleAll } from '../runtime/settle-all.js';
import { childResult } from './child-result.js';
import { REPLACES } from './children.js';
import { describeError } from './failures.js';
import type { RunControl } from './run-control.js';
import { shard as shardWorkflow } from './shard.js';

/**
 * Deals the plan's samples to its shards and waits until they have ended, or handed over what they have left. Rejects
 * only with a cancellation.
 */
export async function runShards(plan: RunPlan, control: RunControl): Promise<void> {
  if (plan.slots === 0) return;
  const started = control.deal(control.due());
  const shards = [...started].map(async ([shard, state]) => {
    const workflowId = `${workflowInfo().workflowId}/shard-${shard}`;
    control.begins(workflowId);
    const handle = await startChild(shardWorkflow, {
      ...REPLACES,
      workflowId,
      args: [{ plan, shard, ...state }],
      staticSummary: `shard ${shard + 1} of ${plan.shards} · ${plan.experiment}`,
    });
    control.joined(shard, handle);
    try {
      control.left(shard, await childResult(handle));
    } catch (error) {
      if (isCancellation(error)) throw error;
      control.broke(shard, describeError(error).message);
    }
  });
  await settleAll(shards);
}
