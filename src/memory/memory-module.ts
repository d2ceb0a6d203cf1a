import type { JsonObject } from '../contracts/json.js';
import type { CheatsheetEntry, Entry, ExperienceEntry } from './entries.js';

/** Saved memory: its kind and its content, as in `memory.json`. */
export interface MemorySnapshot extends JsonObject {
  _type: string;
}

/** Memory of an agent. Its state is plain: saved and restored as JSON. */
export interface MemoryModule {
  update(entry: Entry): void;
  /** Returns the available entries, oldest first. With a journal, only the newest ones are available. */
  recall(): readonly Entry[];
  snapshot(): MemorySnapshot;
}

/** Memory with one evolving text. */
export interface SheetMemory extends MemoryModule {
  /** Maximum characters of a sheet. */
  readonly maxChars: number;
  /** Returns the sheet; empty before the first version. */
  getCheatsheet(): string;
  /** Stores a new version. Reports whether it had to be cut to the maximum size. */
  setCheatsheet(text: string, origin?: { sample_id?: string; trial?: number }): { cut: boolean };
}

/** Memory of experiences that can be searched. */
export interface ExperienceMemory extends MemoryModule {
  appendExperience(entry: ExperienceEntry): void;
  /**
   * Returns up to `k` experiences most similar to `query`, the most similar last.
   * @param sampleId sample of the query; see {@link ExperienceQuery}.
   */
  retrieveExamples(query: string, k: number, sampleId?: string): Promise<ExperienceEntry[]>;
  /** Returns the newest `k` experiences, oldest first. */
  newestExperiences(k: number): Promise<ExperienceEntry[]>;
}

export function isSheetMemory(memory: MemoryModule): memory is SheetMemory {
  return 'setCheatsheet' in memory;
}

export function isExperienceMemory(memory: MemoryModule): memory is ExperienceMemory {
  return 'retrieveExamples' in memory;
}

/** Entry of a journal. */
export type JournalEntry = ExperienceEntry | CheatsheetEntry;

/** Query for experiences: by words, or the newest ones if `text` is absent. */
export interface ExperienceQuery {
  text?: string;
  k: number;
  /** Sample of the query; its own experiences are left out if only correct ones are retrieved. */
  sample_id?: string;
}

/**
 * Storage for entries that are too many to hold in memory: experiences, and versions of the sheet. Entries are numbered
 * from 0; loaded experiences have no number, but are found as well.
 */
export interface MemoryJournal {
  /**
   * Stores entry `number`. Stored entries with this or a higher number become invalid: the memory was reset to before
   * them.
   */
  append(number: number, entry: JournalEntry): void;
  /**
   * Searches the loaded experiences and the first `count` entries. By words: the most similar last. The newest: oldest
   * first.
   */
  search(query: ExperienceQuery, count: number): Promise<ExperienceEntry[]>;
}
