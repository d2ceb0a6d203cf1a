import type { OwnMemoryConfig } from '../config/memory-schemas.js';
import { isMapping, type JsonObject } from '../contracts/json.js';
import { nothingChanged } from '../contracts/kept-json.js';
import { asError } from '../contracts/run-user-code.js';
import { type Entry, isEntry } from '../memory/entries.js';
import { checkSaved } from '../memory/factory.js';
import type { MemoryModule, MemorySnapshot } from '../memory/memory-module.js';
import { AgentShapeError } from './own-agent.js';

/** Constructor of a user's memory. `saved` is what an earlier `snapshot` returned; null: it begins empty. */
export type MemoryClass = new (options: JsonObject, saved: MemorySnapshot | null) => MemoryModule;

const METHODS = ['update', 'recall', 'snapshot'] as const;

/** Checks what `recall` returns. */
function checkedEntries(entries: unknown): unknown {
  const wrong = Array.isArray(entries) ? entries.findIndex((entry) => !isEntry(entry)) : 0;
  if (wrong === -1) return entries;
  throw new TypeError(
    Array.isArray(entries)
      ? `recall answered ${JSON.stringify(entries[wrong])?.slice(0, 100)}, which is no entry`
      : 'recall answered no list of entries',
  );
}

/** Converts what `snapshot` returns to JSON for a history and for `memory.json`. */
function checkedSnapshot(saved: unknown): MemorySnapshot {
  if (!isMapping(saved)) throw new TypeError('snapshot answered no object');
  try {
    return { ...JSON.parse(JSON.stringify(saved, nothingChanged)), _type: 'own' };
  } catch (error) {
    throw new TypeError(`snapshot answered what cannot be written as JSON: ${asError(error).message}`);
  }
}

/** Checks that a method has answered at once. */
function atOnce(method: string, answer: unknown): unknown {
  if (!(answer instanceof Promise)) return answer;
  // The promise is not awaited.
  answer.catch(() => undefined);
  throw new TypeError(`${method} answered a promise; it must answer at once`);
}

/**
 * Wraps a user's memory with checks. Methods of its own stay available to an agent of the user.
 * @throws AgentShapeError if it lacks a method, and any error of its constructor.
 */
export function ownMemory(make: () => unknown): MemoryModule {
  const memory = make() as MemoryModule;
  const missing = METHODS.filter((name) => typeof memory?.[name] !== 'function');
  if (missing.length > 0) {
    throw new AgentShapeError(
      `memory.file: the class lacks ${missing.map((name) => `'${name}'`).join(', ')}; write each of ${METHODS.join(', ')}`,
    );
  }
  return new Proxy(memory, {
    get: (target, name) => {
      if (name === 'update') return (entry: Entry) => void atOnce('update', target.update(entry));
      if (name === 'recall') return () => checkedEntries(atOnce('recall', target.recall()));
      if (name === 'snapshot') return () => checkedSnapshot(atOnce('snapshot', target.snapshot()));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Creates a user's memory of its class. @throws MemoryFormatError if the snapshot is of another kind */
export function ownMemoryOf(
  config: OwnMemoryConfig,
  memoryClass: MemoryClass,
  saved: MemorySnapshot | null,
): MemoryModule {
  checkSaved(config, saved);
  return ownMemory(() => new memoryClass(config.options, saved));
}
