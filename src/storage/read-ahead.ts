import type { ArtifactStore } from './artifact-store.js';
import { readJson } from './stored-file.js';

/** Objects on their way at once: enough that a distant store answers as fast as one reads, few enough for its limits. */
const AHEAD = 32;

/**
 * What `read` answers for each item, in the order of the items, with the next ones on their way already.
 * @throws what the first of them that cannot be read throws.
 */
export async function* readAhead<Item, Value>(
  items: Iterable<Item>,
  read: (item: Item) => Promise<Value>,
): AsyncGenerator<Value> {
  const coming: Promise<Value>[] = [];
  for (const item of items) {
    const value = read(item);
    // It is thrown when its turn comes; until then nobody has missed it.
    value.catch(() => undefined);
    coming.push(value);
    if (coming.length === AHEAD) yield await (coming.shift() as Promise<Value>);
  }
  for (const value of coming) yield await value;
}

/** Every key below a prefix that is wanted, in the order of the store. */
export async function keysBelow(
  store: ArtifactStore,
  prefix: string,
  wanted: (key: string) => boolean = () => true,
): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) if (wanted(key)) keys.push(key);
  return keys;
}

/** The JSON objects below a prefix whose keys are wanted; one that has gone meanwhile is left out. */
export async function* recordsBelow<Stored>(
  store: ArtifactStore,
  prefix: string,
  wanted?: (key: string) => boolean,
): AsyncGenerator<Stored> {
  const keys = await keysBelow(store, prefix, wanted);
  for await (const record of readAhead(keys, (key) => readJson<Stored>(store, key))) {
    if (record !== null) yield record;
  }
}
