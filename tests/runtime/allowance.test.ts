import { describe, expect, test } from 'vitest';
import type { Limits, Spending } from '../../src/contracts/run.js';
import { Allowance } from '../../src/runtime/allowance.js';
import { BudgetLedger } from '../../src/runtime/budget.js';
import { createRandom } from '../../src/statistics/random.js';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function allowance(calls: number, lease = 4) {
  const asked: number[] = [];
  return {
    asked,
    allowance: new Allowance(
      calls,
      (wanted) => asked.push(wanted),
      () => lease,
    ),
  };
}

describe('a shard’s allowance', () => {
  test('gives away what it holds, and asks ahead while half of a lease is left', async () => {
    const { asked, allowance: held } = allowance(4);
    expect(await held.take()).toBe(true);
    expect(asked).toEqual([]);
    await held.take();
    await held.take();
    expect(asked).toEqual([3]);
    expect(held.remaining).toBe(1);
  });

  test('whoever waits is served in order, and the rest is kept', async () => {
    const { asked, allowance: held } = allowance(0);
    const served: string[] = [];
    for (const name of ['a', 'b', 'c']) void held.take().then(() => served.push(name));
    expect(asked).toHaveLength(1);
    held.grant(2);
    await settle();
    expect(served).toEqual(['a', 'b']);
    expect(asked).toHaveLength(2);
    held.grant(3);
    await settle();
    expect(served).toEqual(['a', 'b', 'c']);
    expect(held.remaining).toBe(2);
  });

  test('a failed call’s leave goes to the next, or back', async () => {
    const { allowance: held } = allowance(1);
    await held.take();
    held.ended(false);
    expect(held.remaining).toBe(1);
    await held.take();
    const waiting = held.take();
    held.ended(false);
    expect(await waiting).toBe(true);
    expect(held.remaining).toBe(0);
  });

  test('after an answered call those who wait ask again; without them nobody does', async () => {
    const { asked, allowance: held } = allowance(1, 1);
    await held.take();
    const before = asked.length;
    held.ended(true);
    expect(asked).toHaveLength(before);
    void held.take();
    held.ended(true);
    expect(asked.length).toBeGreaterThan(before);
  });

  test('closed, it refuses those who wait and those who come, and asks no more', async () => {
    const { asked, allowance: held } = allowance(0);
    const waiting = held.take();
    held.close();
    expect(await waiting).toBe(false);
    held.grant(5);
    expect(await held.take()).toBe(false);
    expect(asked).toHaveLength(1);
  });
});

interface Simulated {
  sent: number;
  spent: Spending;
  /** Calls that were in flight when the limit was found to be reached. */
  inFlightAtLimit: number;
}

/** Shards with lanes that call and call, and a run that leases to them, as the workflows wire them together. */
async function simulate(limits: Limits, seed: number, price: (draw: number) => Spending): Promise<Simulated> {
  const random = createRandom(`budget ${seed}`);
  const shards = 1 + Math.floor(random() * 3);
  const lanes = 1 + Math.floor(random() * 5);
  const ledger = new BudgetLedger(limits, { lm_calls: 0, tokens: 0, cost_usd: 0 });
  const totals = Array.from({ length: shards }, (): Spending => ({ lm_calls: 0, tokens: 0, cost_usd: 0 }));
  const wishes = new Map<number, number>();
  const flights: { shard: number; land(): void }[] = [];
  const result: Simulated = { sent: 0, spent: ledger.spent(), inFlightAtLimit: -1 };

  const report = (shard: number, wants: number) => {
    ledger.settle(shard, { ...(totals[shard] as Spending) });
    wishes.set(shard, wants);
    for (const [asking, wanted] of wishes) {
      const calls = ledger.grant(asking, wanted);
      if (calls === 0) continue;
      wishes.delete(asking);
      setImmediate(() => allowances[asking]?.grant(calls));
    }
    if (wishes.size === 0 || ledger.exhausted() === null || result.inFlightAtLimit >= 0) return;
    result.inFlightAtLimit = flights.length;
    for (const held of allowances) held.close();
  };
  const allowances = totals.map(
    (_, shard) =>
      new Allowance(
        0,
        (wants) => report(shard, wants),
        () => lanes,
      ),
  );

  const lane = async (shard: number) => {
    const held = allowances[shard] as Allowance;
    while (await held.take()) {
      result.sent += 1;
      await new Promise<void>((land) => flights.push({ shard, land }));
      const total = totals[shard] as Spending;
      const { tokens, cost_usd } = price(random());
      total.lm_calls += 1;
      total.tokens += tokens;
      total.cost_usd = (total.cost_usd ?? 0) + (cost_usd ?? 0);
      held.ended(true);
    }
  };
  let over = false;
  const all = Promise.all(totals.flatMap((_, shard) => Array.from({ length: lanes }, () => lane(shard))));
  void all.then(() => {
    over = true;
  });
  for (let idle = 0; !over; ) {
    await settle();
    const [flight] = flights.splice(Math.floor(random() * flights.length), 1);
    idle = flight === undefined ? idle + 1 : 0;
    if (idle > 20) throw new Error(`seed ${seed}: every lane waits and no call is in flight`);
    flight?.land();
  }
  for (const [shard, total] of totals.entries()) ledger.settle(shard, total);
  return { ...result, spent: ledger.spent() };
}

describe('shards and a run together', () => {
  const none: Limits = { max_cost_usd: null, max_lm_calls: null, max_tokens: null, max_wall_seconds: null };

  test('never make a call more than allowed, use all of them, and come to an end', async () => {
    for (let seed = 0; seed < 40; seed++) {
      const max_lm_calls = 1 + (seed % 17);
      const { sent } = await simulate({ ...none, max_lm_calls }, seed, () => ({
        lm_calls: 1,
        tokens: 1,
        cost_usd: 0,
      }));
      expect(sent, `seed ${seed}`).toBe(max_lm_calls);
    }
  });

  test('overshoot tokens and dollars by no more than the calls in flight', async () => {
    for (let seed = 0; seed < 40; seed++) {
      const limits = { ...none, ...(seed % 2 === 0 ? { max_tokens: 1000 } : { max_cost_usd: 10 }) };
      const dearest = 200;
      const { spent, inFlightAtLimit } = await simulate(limits, seed, (draw) => {
        const tokens = 1 + Math.floor(draw * dearest);
        return { lm_calls: 1, tokens, cost_usd: tokens / 100 };
      });
      expect(inFlightAtLimit, `seed ${seed}`).toBeGreaterThanOrEqual(0);
      expect(spent.tokens, `seed ${seed}`).toBeGreaterThanOrEqual(1000);
      expect(spent.tokens, `seed ${seed}`).toBeLessThan(1000 + (inFlightAtLimit + 1) * dearest);
    }
  });
});
