import type { JsonObject } from '../contracts/json.js';
import type { CheatsheetEntry, Entry, ExperienceEntry } from './entries.js';

/** A memory as it is saved: its kind and its content. `memory.json` holds one. */
export interface MemorySnapshot extends JsonObject {
  _type: string;
}

/** Storage for what an agent remembers. Plain state: saved and restored as JSON. */
export interface MemoryModule {
  update(entry: Entry): void;
  /** The entries at hand, oldest first. A memory that keeps its entries in a journal has only the newest at hand. */
  recall(): readonly Entry[];
  snapshot(): MemorySnapshot;
}

/** A memory with one evolving text. */
export interface SheetMemory extends MemoryModule {
  /** Characters that a sheet may have. */
  readonly maxChars: number;
  /** Empty before the first version. */
  getCheatsheet(): string;
  /** Keeps a new version. Answers whether it had to be cut to the memory's size. */
  setCheatsheet(text: string, origin?: { sample_id?: string; trial?: number }): { cut: boolean };
}

/** A memory of experiences that are looked up. */
export interface ExperienceMemory extends MemoryModule {
  appendExperience(entry: ExperienceEntry): void;
  /**
   * Up to `k` experiences most similar to `query`, the most similar last.
   * @param sampleId of the sample that asks; see {@link ExperienceQuery}.
   */
  retrieveExamples(query: string, k: number, sampleId?: string): Promise<ExperienceEntry[]>;
  /** The newest `k` experiences, oldest first. */
  newestExperiences(k: number): Promise<ExperienceEntry[]>;
}

export function isSheetMemory(memory: MemoryModule): memory is SheetMemory {
  return 'setCheatsheet' in memory;
}

export function isExperienceMemory(memory: MemoryModule): memory is ExperienceMemory {
  return 'retrieveExamples' in memory;
}

/** What a journal keeps. */
export type JournalEntry = ExperienceEntry | CheatsheetEntry;

/** What is looked for: by words, or without `text` the newest. */
export interface ExperienceQuery {
  text?: string;
  k: number;
  /** The sample that asks: where only right answers are found, its own are left out. */
  sample_id?: string;
}

/**
 * Where a memory's entries are kept when they are too many to be held: experiences, and versions of the sheet. Entries
 * are numbered from 0; those of a loaded memory are not among them, but are found as well.
 */
export interface MemoryJournal {
  /** Notes entry `number`. Entries that stood there or later count no more: the memory went back to before them. */
  append(number: number, entry: JournalEntry): void;
  /**
   * Searches the loaded experiences and the first `count` entries.
   * By words: the most similar last. The newest: oldest first.
   */
  search(query: ExperienceQuery, count: number): Promise<ExperienceEntry[]>;
}
