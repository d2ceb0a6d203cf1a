import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Limits, Spending } from '../../src/contracts/experiment.js';
import { Budget, hasCallLimits, reachedLimit, spendingLeft } from '../../src/runtime/budget.js';

const NO_LIMITS: Limits = {
  max_lm_calls: null,
  max_tokens: null,
  max_cost_usd: null,
  max_wall_seconds: null,
};

function budgetOf(limits: Partial<Limits>, spent: Spending = { lm_calls: 0, tokens: 0, cost_usd: 0 }) {
  const budget = new Budget({ ...NO_LIMITS, ...limits }, () => ({ ...spent }));
  /** A call ends with a reply. */
  const pay = (cost: Partial<Spending> = {}) => {
    spent.lm_calls += 1;
    spent.tokens += cost.tokens ?? 0;
    spent.cost_usd = (spent.cost_usd ?? 0) + (cost.cost_usd ?? 0);
    budget.ended();
  };
  return { budget, spent, pay };
}

/** Who has been answered so far, and what. */
function askedOf(budget: Budget, count: number): (boolean | null)[] {
  const answers: (boolean | null)[] = Array.from({ length: count }, () => null);
  for (const at of answers.keys()) {
    const begins = budget.requestOne();
    if (typeof begins === 'boolean') answers[at] = begins;
    else void begins.then((later) => answers.splice(at, 1, later));
  }
  return answers;
}

const spent = (lm_calls: number, tokens = 0, cost_usd: number | null = 0): Spending => ({
  lm_calls,
  tokens,
  cost_usd,
});

describe('limits', () => {
  it.each([
    [{}, false],
    [{ max_wall_seconds: 5 }, false],
    [{ max_lm_calls: 1 }, true],
    [{ max_tokens: 1 }, true],
    [{ max_cost_usd: 1 }, true],
  ])('%j counts single calls: %s', (limits, counted) => {
    expect(hasCallLimits({ ...NO_LIMITS, ...limits })).toBe(counted);
  });

  it('leave what is not spent', () => {
    const left = (limits: Partial<Limits>, spending: Spending) =>
      spendingLeft({ ...NO_LIMITS, ...limits }, spending);
    expect(left({}, spent(9, 9, 9))).toEqual({ lm_calls: null, tokens: null, cost_usd: null });
    const limits = { max_lm_calls: 5, max_tokens: 100, max_cost_usd: 2 };
    expect(left(limits, spent(2, 40, 0.5))).toEqual({ lm_calls: 3, tokens: 60, cost_usd: 1.5 });
    expect(left(limits, spent(7, 140, 3))).toEqual({ lm_calls: 0, tokens: 0, cost_usd: 0 });
    expect(left(limits, spent(0, 0, null)).cost_usd).toBe(2);
  });

  it.each<[Partial<Limits>, Spending, string | null]>([
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
    expect(reachedLimit({ ...NO_LIMITS, ...limits }, spending)).toBe(message);
  });
});

describe('a budget of calls', () => {
  it('lets every call begin at once where there are no limits', () => {
    const { budget } = budgetOf({ max_wall_seconds: 5 });
    expect(askedOf(budget, 100)).toEqual(Array(100).fill(true));
    expect(budget.exhausted()).toBeNull();
  });

  it('lets calls begin in the order in which they came, as far as there is room', async () => {
    const { budget, pay } = budgetOf({ max_lm_calls: 3 });
    const answers = askedOf(budget, 5);
    expect(answers).toEqual([true, true, true, null, null]);
    pay();
    await Promise.resolve();
    expect(answers).toEqual([true, true, true, null, null]);
    // One that was never sent gives its place to the next.
    budget.ended();
    await Promise.resolve();
    expect(answers).toEqual([true, true, true, true, null]);
  });

  it('refuses those who wait, and whoever comes, once it is closed', async () => {
    const { budget } = budgetOf({ max_lm_calls: 1 });
    const answers = askedOf(budget, 2);
    budget.close();
    await Promise.resolve();
    expect(answers).toEqual([true, false]);
    expect(budget.requestOne()).toBe(false);
  });

  it('asks one call at a time until a price is known, and then as many as the rest is likely to pay', async () => {
    const { budget, pay } = budgetOf({ max_tokens: 1000 });
    const answers = askedOf(budget, 12);
    expect(answers.filter(Boolean)).toHaveLength(1);
    pay({ tokens: 100 });
    await Promise.resolve();
    expect(answers.filter(Boolean)).toHaveLength(1 + 9);
  });

  it('does not take a request that was refused for one of a model that costs nothing', () => {
    const { budget, spent } = budgetOf({ max_tokens: 1000 });
    Object.assign(spent, { lm_calls: 1, unrecorded: 1 });
    expect(askedOf(budget, 3)).toEqual([true, null, null]);
    const free = budgetOf({ max_cost_usd: 1 }, { lm_calls: 2, unrecorded: 1, tokens: 9, cost_usd: 0 });
    expect(askedOf(free.budget, 3)).toEqual([true, true, true]);
  });

  it('lets one more call begin while anything is left, so that a limit is always reached', async () => {
    const { budget, pay } = budgetOf({ max_cost_usd: 0.01 });
    const answers = askedOf(budget, 3);
    pay({ cost_usd: 0.008 });
    await Promise.resolve();
    expect(answers).toEqual([true, true, null]);
    pay({ cost_usd: 0.008 });
    await Promise.resolve();
    expect(answers).toEqual([true, true, false]);
    expect(budget.exhausted()).toContain('limits.max_cost_usd');
  });

  it('does not take sums of prices for money that is left', () => {
    const { budget } = budgetOf({ max_cost_usd: 0.3 }, { lm_calls: 3, tokens: 3, cost_usd: 0.1 + 0.2 });
    expect(budget.exhausted()).toContain('limits.max_cost_usd');
    expect(
      budgetOf({ max_cost_usd: 0.3 }, { lm_calls: 2, tokens: 2, cost_usd: 0.2 }).budget.exhausted(),
    ).toBeNull();
  });

  describe('of which steps request all that they may make', () => {
    const all = (calls: number) => ({ calls, byCallsAlone: true as const });

    it('lets them begin side by side as far as there is room, and any one that is alone', () => {
      const { budget } = budgetOf({ max_lm_calls: 10, max_cost_usd: 1e-9 }, spent(9));
      const granted: number[] = [];
      for (const calls of [20, 1]) budget.request(all(calls), (more) => granted.push(more));
      expect(granted).toEqual([20]);
      budget.ended(20);
      expect(granted).toEqual([20, 1]);
    });

    it('leaves to each what the others have not requested', () => {
      const { budget } = budgetOf({ max_lm_calls: 10, max_cost_usd: 2 }, spent(1, 0, 0.5));
      for (const calls of [3, 5]) budget.request(all(calls), (granted) => expect(granted).toBe(calls));
      expect(budget.leftFor(5)).toEqual({ lm_calls: 6, tokens: null, cost_usd: 1.5 });
      expect(budgetOf({}).budget.leftFor(5).lm_calls).toBeNull();
    });
  });

  it('refuses those who wait once nothing is left', async () => {
    const { budget, pay } = budgetOf({ max_tokens: 100 });
    const answers = askedOf(budget, 3);
    pay({ tokens: 100 });
    await Promise.resolve();
    expect(answers).toEqual([true, false, false]);
  });

  it('is never passed by calls, nor by more tokens than those in flight, in whatever order they end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 500 }),
        fc.array(
          fc.record({ pick: fc.nat(20), tokens: fc.integer({ min: 1, max: 90 }), fails: fc.boolean() }),
          {
            minLength: 30,
            maxLength: 60,
          },
        ),
        async (calls, tokens, ends) => {
          const { budget, spent } = budgetOf({ max_lm_calls: calls, max_tokens: tokens });
          let open = 0;
          let asked = 0;
          // What was in flight when the limit was reached may still cost something.
          let most = Number.POSITIVE_INFINITY;
          const ask = () => {
            asked += 1;
            const begins = budget.requestOne();
            if (begins === true) open += 1;
            else if (begins !== false) {
              void begins.then((later) => {
                open += Number(later);
              });
            }
          };
          for (let lane = 0; lane < 8; lane++) ask();
          for (const { tokens: used, fails } of ends) {
            await Promise.resolve();
            expect(spent.lm_calls + open).toBeLessThanOrEqual(calls);
            if (open === 0) break;
            if (spent.tokens < tokens) most = tokens + open * 90;
            open -= 1;
            if (!fails) {
              spent.lm_calls += 1;
              spent.tokens += used;
            }
            budget.ended();
            expect(spent.tokens).toBeLessThanOrEqual(most);
            ask();
          }
          await Promise.resolve();
          // Nobody waits for ever while something is left.
          if (open === 0 && asked > ends.length) expect(budget.exhausted()).not.toBeNull();
        },
      ),
    );
  });
});
