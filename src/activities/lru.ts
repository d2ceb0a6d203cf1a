/** A map that forgets what was not used for longest. */
export class Lru<Key, Value> {
  private readonly entries = new Map<Key, Value>();

  constructor(private readonly capacity: number) {}

  get(key: Key): Value | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.capacity) this.entries.delete(this.entries.keys().next().value as Key);
  }

  delete(key: Key): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }
}

/** A {@link Lru}, or a map that forgets nothing. */
interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
  delete(key: Key): unknown;
}

/** What a cache holds under a key, loaded where it holds nothing yet. What could not be loaded is not held. */
export function loadedOnce<Key, Value>(
  cache: Cache<Key, Promise<Value>>,
  key: Key,
  load: () => Promise<Value>,
): Promise<Value> {
  const held = cache.get(key);
  if (held !== undefined) return held;
  const loading = load();
  cache.set(key, loading);
  loading.catch(() => cache.delete(key));
  return loading;
}
