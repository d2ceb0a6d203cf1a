import { LRUCache } from 'lru-cache';
import { describe, expect, test } from 'vitest';
import { loadedOnce } from '../../src/activities/loaded-once.js';

describe.each([
  ['a map', () => new Map<string, Promise<number>>()],
  ['a cache that forgets', () => new LRUCache<string, Promise<number>>({ max: 4 })],
])('what %s holds', (_, makeCache) => {
  test('is loaded once, also where two ask for it at the same time', async () => {
    const cache = makeCache();
    let loads = 0;
    const load = async () => ++loads;
    const both = [loadedOnce(cache, 'a', load), loadedOnce(cache, 'a', load)];
    expect(await Promise.all(both)).toEqual([1, 1]);
    expect(await loadedOnce(cache, 'a', load)).toBe(1);
    expect(await loadedOnce(cache, 'b', load)).toBe(2);
  });

  test('is no failure: who asks next has it loaded again', async () => {
    const cache = makeCache();
    await expect(loadedOnce(cache, 'a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await loadedOnce(cache, 'a', async () => 3)).toBe(3);
  });
});
