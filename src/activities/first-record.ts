import type { ArtifactStore } from '../storage/artifact-store.js';
import { parseJson } from '../storage/stored-file.js';

/**
 * Keeps a record where there is none of its work yet, and answers what is kept. Of several attempts at the same work,
 * as where a worker was frozen and given up, the one that comes first is heard, and everybody goes on with its result.
 * A record of other work at this place is of an earlier execution, and is replaced.
 * @param keyOf names the work that a record is the result of.
 * @param replaces puts the record of other work somewhere else; by default it is lost.
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
    // It was there, and is gone: the place is free again.
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
