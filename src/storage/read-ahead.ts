import type { ArtifactStore } from './artifact-store.js';
import { readJson } from './stored-file.js';

/** Objects that are requested at once: enough to hide a store's latency, few enough for its limits. */
const AHEAD = 32;

/**
 * Reads items ahead, and yields the values in the order of the items.
 * @throws the error of the first item that cannot be read, and of their source.
 */
export async function* readAhead<Item, Value>(
  items: Iterable<Item> | AsyncIterable<Item>,
  read: (item: Item) => Promise<Value>,
): AsyncGenerator<Value> {
  const coming: Promise<Value>[] = [];
  for await (const item of items) {
    const value = read(item);
    // It is thrown when its turn comes, so it is not unhandled.
    value.catch(() => undefined);
    coming.push(value);
    if (coming.length === AHEAD) yield await (coming.shift() as Promise<Value>);
  }
  for (const value of coming) yield await value;
}

/** Lists the keys below a prefix that `wanted` accepts, in the order of the store. */
export async function keysBelow(
  store: ArtifactStore,
  prefix: string,
  wanted: (key: string) => boolean = () => true,
): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) if (wanted(key)) keys.push(key);
  return keys;
}

/** Reads the JSON objects of wanted keys below a prefix; those deleted in between are left out. */
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
