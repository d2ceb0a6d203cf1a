import type { ArtifactStore } from '../storage/artifact-store.js';
import { GuardedStore } from '../storage/guarded-store.js';

/** Returns a store as an attempt may write to it. */
export type Guard = (store: ArtifactStore) => ArtifactStore;

/**
 * Does work that may have several attempts at once, for example after a worker was frozen, given up, and resumed: once
 * one of them has ended, the others change nothing any more and return its result.
 * @param finished returns the result of a finished attempt; null while there is none.
 * @param work writes to guarded stores, and writes last what `finished` looks for.
 */
export async function unlessOver<Result>(
  finished: () => Promise<Result | null>,
  work: (guard: Guard) => Promise<Result>,
): Promise<Result> {
  const before = await finished();
  if (before !== null) return before;
  const guard: Guard = (store) =>
    new GuardedStore(store, async () => {
      if ((await finished()) !== null) throw new Error('another attempt has done this');
    });
  try {
    return await work(guard);
  } catch (error) {
    // The input may be gone as well, since the finished attempt no longer needs it.
    const meanwhile = await finished().catch(() => null);
    if (meanwhile === null) throw error;
    return meanwhile;
  }
}
