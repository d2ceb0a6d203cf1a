import { describe, expect, test } from 'vitest';
import type { Limits, Spending } from '../../src/contracts/run.js';
import { BudgetLedger, hasCallLimits, reachedLimit, spendingLeft } from '../../src/runtime/budget.js';

const NONE: Limits = { max_cost_usd: null, max_lm_calls: null, max_tokens: null, max_wall_seconds: null };
const spent = (lm_calls: number, tokens = 0, cost_usd: number | null = 0): Spending => ({
  lm_calls,
  tokens,
  cost_usd,
});
const ledger = (limits: Partial<Limits>, before = spent(0)) =>
  new BudgetLedger({ ...NONE, ...limits }, before);

describe('limits', () => {
  test.each([
    [{}, false],
    [{ max_wall_seconds: 5 }, false],
    [{ max_lm_calls: 1 }, true],
    [{ max_tokens: 1 }, true],
    [{ max_cost_usd: 1 }, true],
  ])('%j counts single calls: %s', (limits, counted) => {
    expect(hasCallLimits({ ...NONE, ...limits })).toBe(counted);
  });

  test('leave what is not spent', () => {
    const left = (limits: Partial<Limits>, spending: Spending) =>
      spendingLeft({ ...NONE, ...limits }, spending);
    expect(left({}, spent(9, 9, 9))).toEqual({ lm_calls: null, tokens: null, cost_usd: null });
    const limits = { max_lm_calls: 5, max_tokens: 100, max_cost_usd: 2 };
    expect(left(limits, spent(2, 40, 0.5))).toEqual({ lm_calls: 3, tokens: 60, cost_usd: 1.5 });
    expect(left(limits, spent(7, 140, 3))).toEqual({ lm_calls: 0, tokens: 0, cost_usd: 0 });
    expect(left(limits, spent(0, 0, null)).cost_usd).toBe(2);
  });

  test.each<[Partial<Limits>, Spending, string | null]>([
    [{ max_lm_calls: 5 }, spent(4), null],
    [{ max_lm_calls: 5 }, spent(5), 'limits.max_lm_calls: 5 of 5 calls are made'],
    [{ max_tokens: 100 }, spent(1, 99), null],
    [{ max_tokens: 100 }, spent(1, 120), 'limits.max_tokens: 120 of 100 tokens are used'],
    [{ max_cost_usd: 2 }, spent(1, 0, 1.99), null],
    [{ max_cost_usd: 0.00001 }, spent(1, 0, 0.00002), 'limits.max_cost_usd: $0.00002 of $0.00001 are spent'],
    [{ max_cost_usd: 2 }, spent(1, 0, 2.5), 'limits.max_cost_usd: $2.5000 of $2.0000 are spent'],
    [{ max_cost_usd: 2 }, spent(9, 0, null), null],
    [{}, spent(1e9, 1e9, 1e9), null],
  ])('%j after %j: %s', (limits, spending, message) => {
    expect(reachedLimit({ ...NONE, ...limits }, spending)).toBe(message);
  });
});

describe('leases', () => {
  test('calls are leased to the last one and no further, also over several shards', () => {
    const budget = ledger({ max_lm_calls: 10 });
    expect([budget.grant(0, 6), budget.grant(1, 6), budget.grant(2, 6)]).toEqual([6, 4, 0]);
    expect(budget.outstanding()).toBe(10);
    expect(budget.exhausted()).toBeNull();
    budget.settle(0, spent(6));
    budget.settle(1, spent(4));
    expect(budget.exhausted()).toBe('limits.max_lm_calls: 10 of 10 calls are made');
  });

  test('a shard that ends gives back what it did not use', () => {
    const budget = ledger({ max_lm_calls: 10 });
    budget.grant(0, 10);
    budget.settle(0, spent(3));
    expect(budget.grant(1, 5)).toBe(0);
    budget.release(0);
    expect(budget.outstanding()).toBe(0);
    expect(budget.grant(1, 50)).toBe(7);
  });

  test('what earlier executions spent counts', () => {
    expect(ledger({ max_lm_calls: 10 }, spent(8)).grant(0, 5)).toBe(2);
    expect(ledger({ max_lm_calls: 10 }, spent(10)).grant(0, 5)).toBe(0);
    expect(ledger({ max_lm_calls: 10 }, spent(10)).exhausted()).toContain('10 of 10');
  });

  test('a report that arrives twice changes nothing', () => {
    const budget = ledger({ max_tokens: 1000 });
    budget.grant(0, 1);
    budget.settle(0, spent(1, 100));
    budget.settle(0, spent(1, 100));
    expect(budget.spent()).toEqual(spent(1, 100));
  });

  test.each([{ max_tokens: 1000 }, { max_cost_usd: 1 }])(
    'with %j one call goes alone while its size is unknown, and then as many as its like leave room for',
    (limits) => {
      const budget = ledger(limits);
      expect([budget.grant(0, 8), budget.grant(1, 8)]).toEqual([1, 0]);
      budget.settle(0, spent(1, 100, 0.1));
      expect([budget.grant(0, 5), budget.grant(1, 8)]).toEqual([5, 4]);
    },
  );

  test('one call is always let through while none is open, however dear they are', () => {
    const budget = ledger({ max_tokens: 1000 });
    budget.grant(0, 1);
    budget.settle(0, spent(1, 900));
    expect([budget.grant(0, 5), budget.grant(1, 5)]).toEqual([1, 0]);
  });

  test('a model that costs nothing is not held back by a limit on dollars', () => {
    const budget = ledger({ max_cost_usd: 1 });
    budget.grant(0, 1);
    budget.settle(0, spent(1, 50, 0));
    expect(budget.grant(0, 8)).toBe(8);
  });

  test('the smallest room counts where there are several limits', () => {
    const budget = ledger({ max_lm_calls: 4, max_tokens: 1000 });
    budget.grant(0, 1);
    budget.settle(0, spent(1, 100));
    expect(budget.grant(0, 8)).toBe(3);
  });

  test('an unknown price makes the sum unknown, and calls go one by one', () => {
    const budget = ledger({ max_cost_usd: 1 });
    budget.grant(0, 1);
    budget.settle(0, spent(1, 50, 0.2));
    budget.settle(1, spent(1, 50, null));
    budget.release(0);
    budget.release(1);
    expect(budget.spent().cost_usd).toBeNull();
    expect([budget.grant(0, 5), budget.grant(1, 5)]).toEqual([1, 0]);
  });
});
