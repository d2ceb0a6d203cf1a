import { expect, test } from 'vitest';
import { createRandom, shuffled } from '../../src/statistics/random.js';

test('a seed fixes the sequence, and other seeds give others', () => {
  const first = (seed: number | string) => Array.from({ length: 5 }, createRandom(seed));
  expect(first(1)).toEqual(first(1));
  expect(new Set([0, 1, 2, '1:a', 'a:1', 4294967295].map((seed) => first(seed)[0])).size).toBe(6);
});

test('the values are spread evenly over [0, 1)', () => {
  const random = createRandom(42);
  const buckets = new Array(10).fill(0);
  for (let index = 0; index < 100_000; index += 1) {
    const value = random();
    expect(value >= 0 && value < 1).toBe(true);
    buckets[Math.floor(value * 10)] += 1;
  }
  for (const count of buckets) expect(Math.abs(count - 10_000)).toBeLessThan(400);
});

test('every order of three items comes up equally often, and the items are not touched', () => {
  const items = Object.freeze(['a', 'b', 'c']);
  const orders = new Map<string, number>();
  for (let seed = 0; seed < 6_000; seed += 1) {
    const order = shuffled(items, createRandom(seed)).join('');
    orders.set(order, (orders.get(order) ?? 0) + 1);
  }
  expect(orders.size).toBe(6);
  for (const count of orders.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});
