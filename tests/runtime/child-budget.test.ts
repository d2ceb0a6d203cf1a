import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BudgetReport, Limits, Spending } from '../../src/contracts/experiment.js';
import { ChildBudget, ChildBudgets } from '../../src/runtime/child-budget.js';
import { addSpending } from '../../src/runtime/step-cost.js';

const NO_LIMITS: Limits = {
  max_lm_calls: null,
  max_tokens: null,
  max_cost_usd: null,
  max_wall_seconds: null,
};
const NOTHING: Spending = { lm_calls: 0, tokens: 0, cost_usd: 0 };
const spent = (lm_calls: number, each = 100): Spending => ({
  lm_calls,
  tokens: each * lm_calls,
  cost_usd: (each * lm_calls) / 1000,
});

/** Budgets of children that stand as they report, and what each has heard. */
function budgetsOf(names: readonly string[], limits: Partial<Limits>, before = NOTHING) {
  const heard: Record<string, number> = {};
  const settled = { ...before };
  let refused = false;
  const budgets = new ChildBudgets({ ...NO_LIMITS, ...limits }, () => settled, {
    granted: (child, calls) => {
      heard[child] = calls;
    },
    refused: () => {
      refused = true;
    },
  });
  for (const name of names) budgets.begin(name);
  const report = (name: string, report: Partial<BudgetReport>) =>
    budgets.onReport(name, { spent: NOTHING, granted: 0, returned: 0, requested: 0, ...report });
  const end = (name: string, spending: Spending) => {
    Object.assign(settled, addSpending(settled, spending));
    budgets.end(name);
  };
  return { budgets, heard, report, end, isRefused: () => refused };
}

describe('budgets of children', () => {
  it('never grant more calls than are left, and pass on what one that ends leaves', () => {
    const { heard, report, end, isRefused } = budgetsOf(['a', 'b', 'c'], { max_lm_calls: 10 }, spent(1));
    for (const name of ['a', 'b', 'c']) report(name, { requested: 4 });
    expect(heard).toEqual({ a: 4, b: 4, c: 1 });
    report('c', { spent: spent(1), granted: 1, requested: 4 });
    end('a', spent(2));
    expect(heard.c).toBe(3);
    report('c', { spent: spent(3), granted: 3, requested: 4 });
    expect(isRefused()).toBe(false);
    end('b', spent(4));
    expect(isRefused()).toBe(true);
  });

  it('pass on what one returns that waits for a person', () => {
    const { heard, report } = budgetsOf(['a', 'b'], { max_lm_calls: 6 });
    report('a', { requested: 6 });
    report('b', { requested: 6 });
    expect(heard).toEqual({ a: 6 });
    report('a', { spent: spent(2), granted: 6, returned: 4 });
    expect(heard.b).toBe(4);
  });

  it('take back what a child was granted beyond a call without a reply, for that may have cost all', () => {
    const { heard, report } = budgetsOf(['a'], { max_tokens: 1000 }, spent(1, 10));
    const child = new ChildBudget();
    const reports = (tokens: number, lm_calls: number) =>
      report('a', child.report({ lm_calls, tokens, cost_usd: 0 }, Math.max(2 - child.available(), 0)));
    reports(0, 0);
    child.onGranted(heard.a ?? 0);
    expect(child.available()).toBe(2);
    child.begin();
    child.failed(1);
    expect(child.available()).toBe(0);
    reports(2000, 1);
    child.onGranted(heard.a ?? 0);
    expect(child.available()).toBe(0);
  });

  it('say again what was granted to one that has not heard of it', () => {
    const { heard, report } = budgetsOf(['a'], { max_lm_calls: 10 });
    report('a', { requested: 3 });
    delete heard.a;
    report('a', { requested: 3 });
    expect(heard.a).toBe(3);
  });

  it('learn what was granted where the experiment was reset and has forgotten it', () => {
    const { heard, report } = budgetsOf(['a'], { max_lm_calls: 10 });
    report('a', { spent: spent(4), granted: 5, requested: 3 });
    expect(heard.a).toBe(8);
  });

  it('count what a crash has sent beyond a grant', () => {
    const { heard, report } = budgetsOf(['a', 'b'], { max_lm_calls: 10 });
    report('a', { requested: 2 });
    report('a', { spent: spent(4), granted: 2, requested: 8 });
    expect(heard.a).toBe(10);
  });

  it.each(['max_tokens', 'max_cost_usd'] as const)('grant call by call where %s is near', (field) => {
    const limit = { max_tokens: 10_000, max_cost_usd: 10 }[field];
    const { heard, report } = budgetsOf(['a', 'b', 'c'], { [field]: limit }, spent(90));
    for (const name of ['a', 'b', 'c']) report(name, { requested: 6 });
    expect(heard).toEqual({ a: 1, b: 1, c: 1 });
  });

  it('do not hear of one that has ended', () => {
    const { heard, report, end } = budgetsOf(['a'], { max_lm_calls: 10 });
    end('a', spent(2));
    report('a', { spent: spent(2), requested: 4 });
    expect(heard).toEqual({});
  });
});

/** A child that makes one call after the other, and hears of its experiment through letters. */
class Child {
  readonly budget = new ChildBudget();
  readonly spent: Spending = { ...NOTHING };
  inFlight = 0;
  isOver = false;

  constructor(
    readonly name: string,
    public due: number,
  ) {}

  /** @returns how it stands, where it cannot begin by itself what is due. */
  work(): BudgetReport | null {
    if (this.isOver || this.inFlight > 0 || this.due === 0) return null;
    if (this.budget.available() === 0) return this.budget.report({ ...this.spent }, 3);
    this.budget.begin();
    this.inFlight = 1;
    this.due -= 1;
    return null;
  }

  /** @param requests that were sent for the call: more than one where a worker has died meanwhile. */
  answered(requests: number, tokens: number): void {
    if (this.inFlight === 0) return;
    this.inFlight = 0;
    this.budget.ended(requests);
    this.spent.lm_calls += requests;
    this.spent.tokens += tokens;
  }
}

const DEAREST = 90;

type Deed = { deed: string; pick: number; tokens: number };
const deeds = fc.array(
  fc.record({
    deed: fc.constantFrom(
      ...['work', 'work', 'answer', 'answer', 'deliver', 'deliver', 'lose', 'repeat'],
      ...['crash', 'pause', 'resume', 'wait for a person', 'begin one more', 'stop', 'cancel'],
    ),
    pick: fc.nat(1000),
    tokens: fc.integer({ min: 1, max: DEAREST }),
  }),
  { minLength: 20, maxLength: 150 },
);

/** An experiment whose children and itself hear of each other in any order, twice, or not at all. */
class World {
  readonly children: Child[] = [];
  private readonly letters: (() => void)[] = [];
  private readonly settled: Spending = { ...NOTHING };
  private readonly budgets: ChildBudgets;
  isPaused = false;
  isOver = false;
  extra = 0;
  mostTokens = Number.POSITIVE_INFINITY;

  constructor(
    private readonly limits: Limits,
    children: number,
  ) {
    this.budgets = new ChildBudgets(limits, () => this.settled, {
      granted: (name, calls) =>
        this.letters.push(() => this.children.find((child) => child.name === name)?.budget.onGranted(calls)),
      refused: () => this.end(),
    });
    for (let count = 0; count < children; count += 1) this.begin();
  }

  async do({ deed, pick, tokens }: Deed): Promise<void> {
    const child = this.children[pick % this.children.length] as Child;
    const at = pick % Math.max(this.letters.length, 1);
    if (deed === 'work') this.work(child);
    if (deed === 'answer') this.answer(child, 1, tokens);
    if (deed === 'crash') this.answer(child, 2, tokens);
    if (deed === 'deliver') this.letters.splice(at, 1)[0]?.();
    if (deed === 'lose') this.letters.splice(at, 1);
    if (deed === 'repeat') this.letters[at]?.();
    if (deed === 'pause') this.isPaused = true;
    if (deed === 'resume') this.isPaused = false;
    if (deed === 'begin one more' && !this.isOver) this.begin();
    if (deed === 'wait for a person' && child.inFlight === 0 && !child.isOver) {
      child.budget.return();
      this.report(child, child.budget.report({ ...child.spent }, 0));
    }
    // A stop lets those in flight end; a cancellation refuses everybody.
    if (deed === 'stop') for (const one of this.children) one.due = Math.min(one.due, 1);
    if (deed === 'cancel' && pick % 10 === 0) this.end();
    await Promise.resolve();
    this.check();
  }

  /** Everything arrives, and who waits reports again. */
  async finish(): Promise<void> {
    this.isPaused = false;
    for (let turn = 0; turn < 500; turn += 1) {
      for (const child of this.children) {
        this.work(child);
        this.answer(child, 1, 1);
        if (child.due === 0 || this.isOver) this.leave(child);
      }
      while (this.letters.length > 0) {
        this.letters.shift()?.();
      }
      this.check();
      if (this.children.every(({ isOver }) => isOver)) return;
    }
    throw new Error('somebody waits for ever');
  }

  spent(): Spending {
    return this.children
      .filter(({ isOver }) => !isOver)
      .reduce((sum, { spent }) => addSpending(sum, spent), this.settled);
  }

  private begin(): void {
    const child = new Child(`child-${this.children.length}`, 12);
    this.children.push(child);
    this.budgets.begin(child.name);
  }

  private work(child: Child): void {
    if (this.isPaused || this.isOver) return;
    const report = child.work();
    if (report !== null) this.report(child, report);
  }

  private report(child: Child, report: BudgetReport): void {
    this.letters.push(() => this.budgets.onReport(child.name, report));
  }

  private answer(child: Child, requests: number, tokens: number): void {
    if (child.inFlight === 0) return;
    this.extra += requests - 1;
    child.answered(requests, tokens);
  }

  private leave(child: Child): void {
    if (child.isOver || child.inFlight > 0) return;
    child.isOver = true;
    Object.assign(this.settled, addSpending(this.settled, child.spent));
    this.budgets.end(child.name);
  }

  private end(): void {
    this.isOver = true;
    this.budgets.close();
  }

  private check(): void {
    const { lm_calls } = this.spent();
    const open = this.children.reduce((sum, { inFlight }) => sum + inFlight, 0);
    const { max_lm_calls } = this.limits;
    if (max_lm_calls !== null) expect(lm_calls + open).toBeLessThanOrEqual(max_lm_calls + this.extra);
  }
}

it('budgets of children hold their limit of calls, and nobody waits for ever, whatever becomes of their messages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 60 }),
      fc.option(fc.integer({ min: 1, max: 2000 })),
      fc.integer({ min: 1, max: 6 }),
      deeds,
      async (max_lm_calls, max_tokens, children, todo) => {
        const world = new World({ ...NO_LIMITS, max_lm_calls, max_tokens }, children);
        for (const deed of todo) await world.do(deed);
        await world.finish();
        // Who was refused has met a limit, or was cancelled; who was not has done everything.
        if (!world.isOver) expect(world.children.every(({ due }) => due === 0)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
}, 60_000);
