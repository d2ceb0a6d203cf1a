import { expect, test } from 'vitest';
import { changedPages, withPages } from '../../../../src/kinds/agent-eval/bundles/rollout-database.js';

const PAGE = 4096;
const filled = (length: number, value = 1) => new Uint8Array(length).fill(value);
const changed = (bytes: Uint8Array, ...places: number[]) => {
  const copy = bytes.slice();
  for (const place of places) copy[place] = 9;
  return copy;
};
const base = filled(10 * PAGE);

test.each<[string, Uint8Array, number]>([
  ['is the same', base, 0],
  ['differs in two pages', changed(base, 0, 1, 5 * PAGE), 2],
  ['differs at the end of a page', changed(base, 3 * PAGE - 1), 1],
  ['has grown', changed(filled(12 * PAGE), 11 * PAGE), 2],
  ['has shrunk', base.slice(0, 4 * PAGE), 0],
  ['ends within a page', changed(base.slice(0, 4 * PAGE + 7), 4 * PAGE + 6), 1],
  ['is empty', new Uint8Array(0), 0],
])('a database that %s is kept as the pages that differ', (_what, bytes, pages) => {
  const kept = changedPages(base, bytes);
  expect(Buffer.compare(withPages(base, kept), bytes)).toBe(0);
  expect(kept.length).toBeLessThanOrEqual(4 + pages * (4 + PAGE));
});

test('what is kept may lie anywhere in a buffer', () => {
  const kept = changedPages(base, changed(base, 7));
  const within = Buffer.concat([Buffer.from('xyz'), kept]).subarray(3);
  expect(withPages(base, within)[7]).toBe(9);
});
