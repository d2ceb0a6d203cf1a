import type { HistoryListConfig } from '../config/memory-schemas.js';
import type { Json } from '../contracts/json.js';
import { checkEntry, type Entry } from './entries.js';
import type { MemoryModule, MemorySnapshot } from './memory-module.js';

/** Append-only list of typed entries; beyond `max_length` the oldest are dropped. */
export class HistoryList implements MemoryModule {
  private readonly entries: Entry[];

  constructor(
    private readonly config: HistoryListConfig,
    entries: readonly Entry[] = [],
  ) {
    this.entries = entries.slice(-config.max_length);
  }

  update(entry: Entry): void {
    checkEntry(entry);
    this.entries.push(entry);
    if (this.entries.length > this.config.max_length) {
      this.entries.splice(0, this.entries.length - this.config.max_length);
    }
  }

  recall(): readonly Entry[] {
    return this.entries;
  }

  snapshot(): MemorySnapshot {
    return {
      _type: 'history_list',
      max_length: this.config.max_length,
      entries: structuredCopy(this.entries),
    };
  }
}

/** Copies a list so that later updates do not change the copy; entries themselves never change. */
function structuredCopy(entries: readonly Entry[]): Json {
  return [...entries] as unknown as Json;
}
