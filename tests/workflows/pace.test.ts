import { expect, it } from 'vitest';
import { Pace } from '../../src/workflows/pace.js';

const paceOf = (moments: readonly (readonly [seconds: number, ended: number])[]) => {
  const pace = new Pace();
  for (const [seconds, ended] of moments) pace.note(seconds * 1000, ended);
  return pace;
};

it('is known once units have ended for a second, while some are left', () => {
  expect(paceOf([[0, 0]]).of(10)).toBeNull();
  expect(
    paceOf([
      [0, 0],
      [0.5, 5],
    ]).of(10),
  ).toBeNull();
  expect(
    paceOf([
      [0, 0],
      [2, 5],
    ]).of(10),
  ).toEqual({ units_per_second: 2.5, seconds_left: 2 });
  expect(
    paceOf([
      [0, 0],
      [2, 10],
    ]).of(10),
  ).toBeNull();
});

it('counts what this execution has done, and not what an earlier one had', () => {
  expect(
    paceOf([
      [0, 90],
      [10, 95],
    ]).of(100),
  ).toEqual({ units_per_second: 0.5, seconds_left: 10 });
});

it('is that of the last minute, however long it has been going', () => {
  const slow = Array.from({ length: 100 }, (_, at) => [at * 10, at] as const);
  const fast = Array.from({ length: 90 }, (_, at) => [1000 + at, 100 + at * 4] as const);
  expect(paceOf([...slow, ...fast]).of(10_000)?.units_per_second).toBeCloseTo(4, 1);
});

it('is that of the last few where units take minutes', () => {
  const pace = paceOf(Array.from({ length: 12 }, (_, at) => [at * 300, at] as const));
  expect(pace.of(20)).toEqual({ units_per_second: 1 / 300, seconds_left: 9 * 300 });
});

it('begins anew after a pause', () => {
  const pace = paceOf([
    [0, 0],
    [10, 10],
  ]);
  pace.reset();
  pace.note(3_600_000, 10);
  expect(pace.of(20)).toBeNull();
  pace.note(3_602_000, 12);
  expect(pace.of(20)?.units_per_second).toBe(1);
});
