import type { ArtifactStore } from '../storage/artifact-store.js';
import { GuardedStore } from '../storage/guarded-store.js';

/** Stores as an attempt may write to them. */
export type Guard = (store: ArtifactStore) => ArtifactStore;

/**
 * Does work that may have several attempts at once, as where a worker was frozen, was given up, and woke: once one of
 * them has come to its end, the others change nothing any more and answer what that one did.
 * @param finished what a finished attempt has left; null while there is none.
 * @param work writes to stores as the guard gives them, and what `finished` looks for last.
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
    // What it worked from may be gone as well, since that one needs it no more.
    const meanwhile = await finished().catch(() => null);
    if (meanwhile === null) throw error;
    return meanwhile;
  }
}
