import type { MemoryConfig } from '../config/memory-schemas.js';
import { type Entry, isEntry } from './entries.js';
import { HistoryList } from './history-list.js';
import type { MemoryModule, MemorySnapshot } from './memory-module.js';

/** Thrown when a saved memory does not fit the config; the message says what is wrong. */
export class MemoryFormatError extends Error {
  override readonly name = 'MemoryFormatError';
}

function savedEntries(saved: unknown): Entry[] {
  const entries = (saved as { entries?: unknown } | null)?.entries;
  if (!Array.isArray(entries)) throw new MemoryFormatError('a saved history_list has a list "entries"');
  const wrong = entries.findIndex((entry) => !isEntry(entry));
  if (wrong >= 0) throw new MemoryFormatError(`entry ${wrong} is not a memory entry`);
  return entries as Entry[];
}

/**
 * Builds the memory that `memory._type` names, with the content of a saved one where given.
 * @throws MemoryFormatError where the saved memory is of another kind or malformed.
 */
export function buildMemory(config: MemoryConfig, saved?: MemorySnapshot | null): MemoryModule {
  if (saved !== undefined && saved !== null && saved._type !== config._type) {
    throw new MemoryFormatError(
      `the saved memory is a ${saved._type}, the config asks for a ${config._type}`,
    );
  }
  switch (config._type) {
    case 'history_list':
      return new HistoryList(config, saved === undefined || saved === null ? [] : savedEntries(saved));
  }
}
