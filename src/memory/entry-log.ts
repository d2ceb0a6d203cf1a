import type { JournalEntry, MemoryJournal } from './memory-module.js';

/** Numbers the entries of one memory, whichever of its parts writes them. */
export class EntryLog {
  constructor(
    readonly journal: MemoryJournal,
    /** Entries so far, those of a loaded memory not included. */
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
