import type { MemoryConfig } from '../config/memory-schemas.js';
import { CheatsheetMemory, type SheetState } from './cheatsheet.js';
import { type Entry, isEntry } from './entries.js';
import { EntryLog } from './entry-log.js';
import { ExperienceDBMemory, type ExperienceState } from './experience-db.js';
import { HistoryList } from './history-list.js';
import { HybridMemory } from './hybrid.js';
import type { MemoryJournal, MemoryModule, MemorySnapshot } from './memory-module.js';
import { MemoryFormatError } from './saved.js';

export { MemoryFormatError } from './saved.js';

function savedEntries(saved: unknown): Entry[] {
  const entries = (saved as { entries?: unknown } | null)?.entries;
  if (!Array.isArray(entries)) throw new MemoryFormatError('a saved history_list has a list "entries"');
  const wrong = entries.findIndex((entry) => !isEntry(entry));
  if (wrong >= 0) throw new MemoryFormatError(`entry ${wrong} is not a memory entry`);
  return entries as Entry[];
}

/** Journal of a memory that holds all its entries itself. */
const NO_JOURNAL: MemoryJournal = {
  append: () => {
    throw new Error('this memory was built without a journal');
  },
  search: async () => {
    throw new Error('this memory was built without a journal');
  },
};

/** @throws MemoryFormatError if a saved memory is of another kind than the config's. */
export function checkSaved(config: Pick<MemoryConfig, '_type'>, saved: MemorySnapshot | null): void {
  if (saved === null || saved._type === config._type) return;
  throw new MemoryFormatError(`the saved memory is a ${saved._type}, the config asks for a ${config._type}`);
}

/**
 * Builds the memory that `memory._type` names from the state that a lane carries (its `snapshot()`), which for a
 * `history_list` is also its saved form.
 * @param journal storage for the entries of a cheatsheet, experience_db or hybrid.
 * @throws MemoryFormatError if the snapshot is of another kind or malformed; Error for a memory of the user.
 */
export function buildMemory(
  config: MemoryConfig,
  saved?: MemorySnapshot | null,
  journal: MemoryJournal = NO_JOURNAL,
): MemoryModule {
  checkSaved(config, saved ?? null);
  const state = (saved ?? undefined) as unknown as (SheetState & ExperienceState) | undefined;
  const log = () => new EntryLog(journal, (saved?.entries as number | undefined) ?? 0);
  switch (config._type) {
    case 'history_list':
      return new HistoryList(config, saved === undefined || saved === null ? [] : savedEntries(saved));
    case 'cheatsheet':
      return new CheatsheetMemory(config, log(), state);
    case 'experience_db':
      return new ExperienceDBMemory(log(), state);
    case 'hybrid':
      return new HybridMemory(config, log(), state);
    case 'own':
      throw new Error('a memory of the user is made by its class');
  }
}
