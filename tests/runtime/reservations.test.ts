import { describe, expect, test } from 'vitest';
import type { Limits } from '../../src/contracts/run.js';
import { Reservations } from '../../src/runtime/reservations.js';

const NONE: Limits = { max_cost_usd: null, max_lm_calls: null, max_tokens: null, max_wall_seconds: null };
const TEN = { ...NONE, max_lm_calls: 10 };
const spent = (lm_calls: number, cost_usd = 0) => ({ lm_calls, tokens: 0, cost_usd });

describe('calls that steps have reserved', () => {
  test('leave room for what is left beside them', () => {
    const reservations = new Reservations();
    const release = reservations.reserve(4);
    expect([5, 6, 7].map((calls) => reservations.hasRoom(calls, TEN, spent(0)))).toEqual([true, true, false]);
    expect(reservations.hasRoom(6, TEN, spent(1))).toBe(false);
    release();
    expect(reservations.hasRoom(10, TEN, spent(0))).toBe(true);
  });

  test('are all that a step has to wait for: alone it may begin, and one without a call always', () => {
    const reservations = new Reservations();
    expect(reservations.hasRoom(20, TEN, spent(9))).toBe(true);
    expect(reservations.hasRoom(20, TEN, spent(10))).toBe(true);
    reservations.reserve(20);
    expect(reservations.hasRoom(1, TEN, spent(9))).toBe(false);
    expect(reservations.hasRoom(0, TEN, spent(10))).toBe(true);
    expect(reservations.hasRoom(1000, NONE, spent(9))).toBe(true);
  });

  test('are money as well, by the mean price so far; the first price is waited for', () => {
    const dollar = { ...NONE, max_cost_usd: 1 };
    const reservations = new Reservations();
    reservations.reserve(1);
    expect(reservations.hasRoom(1, dollar, spent(0))).toBe(false);
    expect(reservations.hasRoom(1, dollar, spent(1, 0.4))).toBe(false);
    expect(reservations.hasRoom(1, dollar, spent(1, 0.3))).toBe(true);
  });

  test('are not left to another step', () => {
    const reservations = new Reservations();
    reservations.reserve(3);
    reservations.reserve(5);
    expect(reservations.left(5, { ...TEN, max_cost_usd: 2 }, spent(1, 0.5))).toEqual({
      lm_calls: 6,
      tokens: null,
      cost_usd: 1.5,
    });
    expect(reservations.left(5, NONE, spent(1)).lm_calls).toBeNull();
  });
});
