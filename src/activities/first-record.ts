import type { ArtifactStore } from '../storage/artifact-store.js';
import { parseJson } from '../storage/stored-file.js';

/**
 * Stores a record unless there is one of the same work, and returns the stored one. If several attempts do the same
 * work, for example after a worker was frozen, the first result is kept and all continue with it. A record of other
 * work is from an earlier execution and is replaced.
 * @param keyOf names the work that a record is the result of.
 * @param replaces moves the record of other work to another place; by default it is lost.
 */
export async function keepFirst<Kept>(
  store: ArtifactStore,
  place: string,
  {
    record,
    keyOf,
    replaces,
  }: { record: Kept; keyOf: (record: Kept) => string; replaces?: (record: Kept) => Promise<void> },
): Promise<Kept> {
  const text = JSON.stringify(record);
  for (;;) {
    if (await store.write(place, text, { ifAbsent: true })) return record;
    const there = await store.readText(place);
    // The record has been deleted since: the place is free again.
    if (there === null) continue;
    const kept = parseJson<Kept>(there, store, place);
    if (keyOf(kept) === keyOf(record)) return kept;
    if (replaces === undefined) {
      await store.write(place, text);
      return record;
    }
    await replaces(kept);
  }
}
