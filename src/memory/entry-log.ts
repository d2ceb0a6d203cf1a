import type { JournalEntry, MemoryJournal } from './memory-module.js';

/** Log that numbers the entries of one memory, across its parts. */
export class EntryLog {
  constructor(
    readonly journal: MemoryJournal,
    /** Number of entries so far, without those of a loaded memory. */
    private written: number,
  ) {}

  get count(): number {
    return this.written;
  }

  append(entry: JournalEntry): void {
    this.journal.append(this.written, entry);
    this.written += 1;
  }
}
