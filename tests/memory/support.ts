import type { ExperienceEntry } from '../../src/memory/entries.js';
import type {
  ExperienceQuery,
  JournalEntry,
  MemoryJournal,
  MemorySnapshot,
} from '../../src/memory/memory-module.js';

/** A journal that keeps everything, finds by a word in common, and notes what it was asked. */
export class ListJournal implements MemoryJournal {
  entries: JournalEntry[] = [];
  readonly searches: (ExperienceQuery & { count: number })[] = [];

  constructor(private readonly loaded: ExperienceEntry[] = []) {}

  append(number: number, entry: JournalEntry): void {
    if (number > this.entries.length) throw new Error(`entry ${number} leaves a gap`);
    this.entries = [...this.entries.slice(0, number), entry];
  }

  async search(query: ExperienceQuery, count: number): Promise<ExperienceEntry[]> {
    this.searches.push({ ...query, count });
    const known = [...this.loaded, ...this.entries.slice(0, count)].filter(
      (entry): entry is ExperienceEntry => entry._type === 'experience',
    );
    const { text, k } = query;
    return known.filter(({ obs }) => text === undefined || obs.includes(text)).slice(-k);
  }
}

export function experience(obs: string, fields: Partial<ExperienceEntry> = {}): ExperienceEntry {
  return {
    _type: 'experience',
    obs,
    action: `answer to ${obs}`,
    feedback: { correct: true, message: 'yes' },
    ...fields,
  };
}

/** As it comes back from a file or a payload. */
export function throughJson<Value extends MemorySnapshot>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
