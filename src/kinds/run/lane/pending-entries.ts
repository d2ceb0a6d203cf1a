import type { JournalEntry } from '../../../memory/memory-module.js';

/** End of a journal: entries from number `from` on that are not stored yet. */
export class PendingEntries {
  private held: JournalEntry[];

  constructor(
    private first: number,
    entries: readonly JournalEntry[] = [],
  ) {
    this.held = [...entries];
  }

  get from(): number {
    return this.first;
  }

  get length(): number {
    return this.held.length;
  }

  /** Approximate size of the pending texts, in characters. */
  get chars(): number {
    const size = (entry: JournalEntry) =>
      entry._type === 'cheatsheet' ? entry.content.length : entry.obs.length + entry.action.length;
    return this.held.reduce((sum, entry) => sum + size(entry), 0);
  }

  entries(): readonly JournalEntry[] {
    return this.held;
  }

  batch(): { from: number; entries: JournalEntry[] } {
    return { from: this.first, entries: [...this.held] };
  }

  /** Drops the entries from `number` on: the memory was reset to before them. */
  truncate(number: number): void {
    if (number < this.first) {
      this.first = number;
      this.held = [];
    }
    this.held.length = Math.min(this.held.length, number - this.first);
  }

  append(number: number, entry: JournalEntry): void {
    this.truncate(number);
    if (number !== this.first + this.held.length) {
      throw new Error(
        `a memory's journal ends at ${this.first + this.held.length}, and was given entry ${number}`,
      );
    }
    this.held.push(entry);
  }

  /** Drops the entries before `number`, which are stored. */
  release(number: number): void {
    this.held = this.held.slice(Math.max(number - this.first, 0));
    this.first = Math.max(number, this.first);
  }
}
