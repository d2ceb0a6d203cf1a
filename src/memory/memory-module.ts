import type { JsonObject } from '../contracts/json.js';
import type { Entry } from './entries.js';

/** A memory as it is saved: its kind and its content. `memory.json` holds one. */
export interface MemorySnapshot extends JsonObject {
  _type: string;
}

/** Storage for what an agent remembers. Plain state: saved and restored as JSON. */
export interface MemoryModule {
  update(entry: Entry): void;
  /** The entries, oldest first. */
  recall(): readonly Entry[];
  snapshot(): MemorySnapshot;
}
