import type { JournalEntry } from '../../../memory/memory-module.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { keysBelow, readAhead } from '../../../storage/read-ahead.js';
import { missingFile, readJson } from '../../../storage/stored-file.js';
import type { JournalBatch } from '../contracts.js';
import { journalKey, journalPrefix } from '../paths.js';

/** Content of one object of a journal. */
type StoredBatch = Pick<JournalBatch, 'from' | 'entries'>;

/** Entries of a journal, built from its batches: each begins at its own number, and replaces later entries. */
export class JournalView {
  readonly entries: JournalEntry[] = [];

  /** Applies a batch. @throws Error if an earlier batch is missing. */
  apply({ from, entries }: StoredBatch): void {
    if (from > this.entries.length) {
      throw new Error(`a batch begins at ${from}, and there are ${this.entries.length} entries before it`);
    }
    this.entries.splice(from, this.entries.length - from, ...entries);
  }
}

/** Writes a batch. Repeating it writes the same object. */
export async function writeBatch(store: ArtifactStore, batch: JournalBatch): Promise<void> {
  const { execution, lane, sequence, from, entries } = batch;
  const content: StoredBatch = { from, entries };
  await store.write(journalKey(execution, lane, sequence), JSON.stringify(content));
}

/** Reads a lane's journal from the store, up to but excluding the batch `before`. */
export async function readJournal(
  store: ArtifactStore,
  { execution, lane }: Pick<JournalBatch, 'execution' | 'lane'>,
  before = Number.POSITIVE_INFINITY,
): Promise<JournalView> {
  const limit = Number.isFinite(before) ? journalKey(execution, lane, before) : null;
  const keys = await keysBelow(store, journalPrefix(execution, lane), (key) => limit === null || key < limit);
  keys.sort();
  const view = new JournalView();
  for await (const batch of readAhead(keys, (key) => readJson<StoredBatch>(store, key))) {
    if (batch === null) continue;
    const known = view.entries.length;
    if (batch.from > known)
      throw missingFile(store, `a batch of a memory's journal, from entry ${known} on,`, null);
    view.apply(batch);
  }
  return view;
}
