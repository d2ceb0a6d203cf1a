import { expect, it } from 'vitest';
import { idealSeconds, latencyOf, latencyText } from '../../bench/latency.js';

const STEADY = { latency: 1000, jitter: false };
const JITTERED = { latency: 1000, jitter: true };

it('a steady model takes as long for each request', () => {
  expect([1, 2, 3].map((number) => latencyOf(number, STEADY))).toEqual([1000, 1000, 1000]);
  expect(idealSeconds({ samples: 1000, concurrency: 100 }, STEADY)).toBe(10);
  expect(idealSeconds({ samples: 101, concurrency: 100 }, STEADY)).toBe(2);
});

it('a jittered one draws from a log-normal distribution of that mean, the same for each contestant', () => {
  const drawn = Array.from({ length: 20_000 }, (_, index) => latencyOf(index + 1, JITTERED));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(mean(drawn)).toBeCloseTo(1000, -2);
  const logarithms = drawn.map((value) => Math.log(value));
  const middle = mean(logarithms);
  expect(middle).toBeCloseTo(Math.log(1000) - 0.125, 1);
  expect(Math.sqrt(mean(logarithms.map((value) => (value - middle) ** 2)))).toBeCloseTo(0.5, 1);
  expect(drawn.filter((value) => value > 2000).length / drawn.length).toBeCloseTo(0.05, 1);
  expect(latencyOf(7, JITTERED)).toBe(drawn[6]);
});

it('the ideal of a jittered model gives each request to whoever is free first', () => {
  const all = Array.from({ length: 50 }, (_, index) => latencyOf(index + 1, JITTERED));
  const sum = all.reduce((total, value) => total + value, 0) / 1000;
  expect(idealSeconds({ samples: 50, concurrency: 1 }, JITTERED)).toBeCloseTo(sum, 6);
  expect(idealSeconds({ samples: 50, concurrency: 50 }, JITTERED)).toBeCloseTo(Math.max(...all) / 1000, 6);
  const ten = idealSeconds({ samples: 50, concurrency: 10 }, JITTERED);
  expect(ten).toBeGreaterThanOrEqual(sum / 10);
  expect(ten).toBeLessThan(sum / 10 + Math.max(...all) / 1000);
});

it('is named in the table', () => {
  expect([STEADY, JITTERED].map(latencyText)).toEqual(['1000 ms', '1000 ms, jittered']);
});
