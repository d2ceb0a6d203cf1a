import type { ExperienceSearch } from '../../src/kinds/run/activities/experience-search.js';
import { PendingEntries } from '../../src/kinds/run/lane/pending-entries.js';
import type { ExperienceEntry } from '../../src/memory/entries.js';
import type { ExperienceQuery, JournalEntry, MemoryJournal } from '../../src/memory/memory-module.js';

/** A lane's journal that is held in this process. */
export class LocalJournal implements MemoryJournal {
  private readonly held = new PendingEntries(0);
  private sequence = 0;
  /** Entries that the index has as they are now. */
  private indexed = 0;

  /** @param searching does something with the experiences, indexed; where their vectors fail, once more. */
  constructor(
    private readonly searching: <Value>(work: (search: ExperienceSearch) => Promise<Value>) => Promise<Value>,
  ) {}

  append(number: number, entry: JournalEntry): void {
    this.indexed = Math.min(this.indexed, number);
    this.held.append(number, entry);
  }

  async search(query: ExperienceQuery, count: number): Promise<ExperienceEntry[]> {
    this.held.truncate(count);
    const from = Math.min(this.indexed, count);
    const sequence = this.sequence++;
    return this.searching(async (search) => {
      await search.apply(sequence, from, this.held.entries().slice(from));
      this.indexed = count;
      return search.search({ ...query, count });
    });
  }

  entries(): readonly JournalEntry[] {
    return this.held.entries();
  }
}
