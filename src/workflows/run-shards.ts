import {
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  isCancellation,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunPlan } from '../contracts/run.js';
import { dealConcurrency } from '../runtime/deal.js';
import { describeError } from './failures.js';
import type { RunControl } from './run-control.js';
import { shard as shardWorkflow } from './shard.js';

/** Deals the plan's samples to its shards and waits for all of them. Rejects only with a cancellation. */
export async function runShards(plan: RunPlan, control: RunControl, startedAt: number): Promise<void> {
  if (plan.slots === 0) return;
  const numbers = Array.from({ length: plan.shards }, (_, shard) => shard);
  const shares = dealConcurrency(plan.concurrency, numbers);
  let over = false;
  const shards = numbers.map(async (shard) => {
    const handle = await startChild(shardWorkflow, {
      workflowId: `${workflowInfo().workflowId}/shard-${shard}`,
      args: [{ plan, shard, control: control.stateFor(shares.get(shard) ?? 1) }],
      staticSummary: `shard ${shard + 1} of ${plan.shards} · ${plan.experiment}`,
    });
    control.joined(shard, handle);
    try {
      control.left(shard, await handle.result());
    } catch (error) {
      if (isCancellation(error)) throw error;
      const cause = error instanceof ChildWorkflowFailure ? (error.cause ?? error) : error;
      control.broke(shard, describeError(cause).message);
    }
  });
  void enforceWallLimit(plan, control, startedAt, () => over).catch(() => undefined);
  try {
    await settleAll(shards);
  } finally {
    over = true;
  }
}

/** Waits for every shard, also after one was cancelled; then rejects with the cancellation, if there was one. */
async function settleAll(shards: Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(shards);
  const rejected = outcomes.find((outcome) => outcome.status === 'rejected');
  if (rejected !== undefined) throw rejected.reason;
}

async function enforceWallLimit(
  plan: RunPlan,
  control: RunControl,
  startedAt: number,
  isOver: () => boolean,
): Promise<void> {
  const limit = plan.limits.max_wall_seconds;
  if (limit === null) return;
  const left = (limit - plan.spent_wall_seconds) * 1000 - (Date.now() - startedAt);
  const ended = await CancellationScope.cancellable(() => condition(isOver, Math.max(Math.ceil(left), 1)));
  if (!ended) control.exhaust(`limits.max_wall_seconds: the run has worked for ${limit} seconds`);
}
