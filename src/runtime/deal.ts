import type { RunPlan } from '../contracts/run.js';

/** Lanes one shard keeps going before another shard pays for itself (measured: bench/README.md). */
const LANES_PER_SHARD = 25;
const MOST_SHARDS = 4;

/** How many shard workflows a run is dealt to. One lane cannot be split. */
export function shardCount(plan: Pick<RunPlan, 'memory_scope' | 'concurrency' | 'slots'>): number {
  if (plan.memory_scope === 'run') return 1;
  const wanted = Math.ceil(plan.concurrency / LANES_PER_SHARD);
  return Math.max(1, Math.min(wanted, MOST_SHARDS, plan.slots));
}

/** Deals `concurrency` to the shards that still work, as evenly as whole lanes allow. */
export function dealConcurrency(concurrency: number, working: readonly number[]): Map<number, number> {
  const share = Math.floor(concurrency / Math.max(working.length, 1));
  let rest = concurrency - share * working.length;
  const dealt = new Map<number, number>();
  for (const shard of working) {
    dealt.set(shard, share + (rest > 0 ? 1 : 0));
    rest -= 1;
  }
  return dealt;
}

/** Milliseconds between two reports of a shard: a second at first, then rarer, so that histories stay small. */
export function reportInterval(elapsedMilliseconds: number): number {
  return Math.min(Math.max(elapsedMilliseconds / 60, 1000), 300_000);
}
