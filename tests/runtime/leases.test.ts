import { describe, expect, it } from 'vitest';
import type { Limits, Spending } from '../../src/contracts/run.js';
import { Leases } from '../../src/runtime/leases.js';

const NONE: Limits = { max_lm_calls: null, max_tokens: null, max_cost_usd: null, max_wall_seconds: null };
const NOTHING: Spending = { lm_calls: 0, tokens: 0, cost_usd: 0 };
const spent = (lm_calls: number): Spending => ({
  lm_calls,
  tokens: 100 * lm_calls,
  cost_usd: 0.1 * lm_calls,
});
const all = () => true;

function leasesFor(holders: readonly string[], limits: Limits, before: Spending): Leases {
  const leases = new Leases(limits, before);
  for (const holder of holders) leases.begin(holder);
  return leases;
}

describe('Leases', () => {
  it('grants whatever is asked where nothing is limited', () => {
    const leases = leasesFor(['a'], NONE, NOTHING);
    leases.ask('a', NOTHING, 7);
    expect([...leases.grants(all)]).toEqual([['a', 7]]);
    expect([...leases.grants(all)]).toEqual([]);
    expect(leases.exhausted()).toBeNull();
  });

  it('never leases more calls than are left, and says when those who wait wait in vain', () => {
    const leases = leasesFor(['a', 'b', 'c'], { ...NONE, max_lm_calls: 10 }, spent(1));
    for (const holder of ['a', 'b', 'c']) leases.ask(holder, NOTHING, 4);
    expect([...leases.grants(all)]).toEqual([
      ['a', 4],
      ['b', 4],
      ['c', 1],
    ]);
    leases.ask('c', spent(1), 4);
    expect([...leases.grants(all)]).toEqual([]);
    // The others may leave something.
    expect(leases.exhausted()).toBeNull();
    leases.end('a', spent(2));
    expect([...leases.grants(all)]).toEqual([['c', 2]]);
    leases.ask('c', spent(3), 4);
    leases.end('b', spent(4));
    expect([...leases.grants(all)]).toEqual([]);
    expect(leases.exhausted()).toBe('limits.max_lm_calls: 10 of 10 calls are made');
  });

  it('counts what a crash has sent beyond a lease, and keeps nothing back for it any more', () => {
    const leases = leasesFor(['a', 'b'], { ...NONE, max_lm_calls: 10 }, NOTHING);
    leases.ask('a', NOTHING, 2);
    expect([...leases.grants(all)]).toEqual([['a', 2]]);
    leases.ask('a', spent(4), 8);
    expect([...leases.grants(all)]).toEqual([['a', 6]]);
    leases.ask('b', NOTHING, 1);
    expect([...leases.grants(all)]).toEqual([]);
    expect(leases.exhausted()).toBeNull();
    leases.ask('a', spent(10), 0);
    expect(leases.exhausted()).toBe('limits.max_lm_calls: 10 of 10 calls are made');
  });

  it('grants nothing to who cannot hear of it yet', () => {
    const leases = leasesFor(['a', 'b'], { ...NONE, max_lm_calls: 3 }, NOTHING);
    leases.ask('a', NOTHING, 2);
    leases.ask('b', NOTHING, 2);
    expect([...leases.grants((holder) => holder === 'b')]).toEqual([['b', 2]]);
    expect([...leases.grants(all)]).toEqual([['a', 1]]);
  });

  it('lets one call through until its price is known, then more', () => {
    const leases = leasesFor(['a', 'b'], { ...NONE, max_cost_usd: 10 }, NOTHING);
    leases.ask('a', NOTHING, 4);
    leases.ask('b', NOTHING, 4);
    expect([...leases.grants(all)]).toEqual([['a', 1]]);
    expect(leases.exhausted()).toBeNull();
    leases.ask('a', spent(1), 6);
    expect([...leases.grants(all)]).toEqual([
      ['b', 4],
      ['a', 6],
    ]);
  });

  it('hears what was spent from a holder that needs nothing now', () => {
    const leases = leasesFor(['a', 'b'], { ...NONE, max_cost_usd: 10 }, NOTHING);
    leases.ask('a', NOTHING, 4);
    leases.ask('b', NOTHING, 4);
    expect([...leases.grants(all)]).toEqual([['a', 1]]);
    leases.ask('a', spent(1), 0);
    expect([...leases.grants(all)]).toEqual([['b', 4]]);
    expect(leases.exhausted()).toBeNull();
  });

  it('does not hear of a holder that has ended: what it spent is counted once', () => {
    const leases = leasesFor(['a', 'b'], { ...NONE, max_lm_calls: 4 }, NOTHING);
    leases.ask('a', NOTHING, 2);
    expect([...leases.grants(all)]).toEqual([['a', 2]]);
    leases.end('a', spent(2));
    leases.ask('a', spent(2), 2);
    leases.ask('b', NOTHING, 4);
    expect([...leases.grants(all)]).toEqual([['b', 2]]);
  });

  it('believes the newest report, in whatever order they arrive', () => {
    const leases = leasesFor(['a', 'b'], { ...NONE, max_lm_calls: 6 }, NOTHING);
    leases.ask('a', NOTHING, 4);
    expect([...leases.grants(all)]).toEqual([['a', 4]]);
    leases.ask('a', spent(4), 1);
    leases.ask('a', spent(2), 0);
    expect([...leases.grants(all)]).toEqual([['a', 1]]);
    leases.ask('b', NOTHING, 4);
    expect([...leases.grants(all)]).toEqual([['b', 1]]);
  });

  it.each(['max_tokens', 'max_cost_usd'] as const)('grants call by call where %s is near', (field) => {
    const limit = { max_tokens: 10_000, max_cost_usd: 10 }[field];
    const leases = leasesFor(['a', 'b', 'c'], { ...NONE, [field]: limit }, spent(90));
    for (const holder of ['a', 'b', 'c']) leases.ask(holder, NOTHING, 6);
    expect([...leases.grants(all).values()]).toEqual([1, 1, 1]);
    // They are dearer than those before: nobody makes a call that was granted at the price of the others.
    const dear = { lm_calls: 1, tokens: 400, cost_usd: 0.4 };
    for (const holder of ['a', 'b', 'c']) leases.ask(holder, dear, 6);
    expect(leases.grants(all).size).toBe(0);
    expect(leases.exhausted()).toMatch(/^limits\.max_/);
  });
});
