/** LRU cache, or a map that drops nothing. */
interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
  delete(key: Key): unknown;
}

/** Returns the value of a key, loading it if the cache has none. A failed load is not cached. */
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
