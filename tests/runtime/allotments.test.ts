import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Allotment } from '../../src/contracts/allotment.js';
import type {
  ControlState,
  Limits,
  Progress,
  RunPlan,
  ShardCarried,
  ShardReport,
  Totals,
} from '../../src/contracts/run.js';
import { Allotments } from '../../src/runtime/allotments.js';
import { amountsOf, larger, minus, NOTHING, plus } from '../../src/runtime/amounts.js';
import {
  advance,
  newShardBudget,
  type ShardBudget,
  type ShardBudgetEvent,
} from '../../src/runtime/shard-budget.js';
import { claimDue, claimOf, type SentClaim } from '../../src/runtime/shard-claims.js';
import { addTotals, bookUnkept, noTotals, spendingOfTotals } from '../../src/runtime/totals.js';
import { RunControl } from '../../src/workflows/run-control.js';
import { enterWorkflow, leaveWorkflow } from '../support/workflow-context.js';

/** Where what runs tell their shards goes. */
let world: World;
beforeAll(() => {
  enterWorkflow(({ workflowId, args: [control] }) => world.post(workflowId, control as ControlState));
});
afterAll(leaveWorkflow);

const SECOND = 1000;
const DEAREST = { tokens: 500, cost_usd: 0.05 };

/** Signals between workflows, in no order. */
class Mail {
  readonly letters: (() => void)[] = [];

  send(deliver: () => void): void {
    this.letters.push(deliver);
  }

  /** @param keep whether it will arrive once more */
  deliver(pick: number, keep = false): void {
    const at = pick % Math.max(this.letters.length, 1);
    const [letter] = keep ? this.letters.slice(at, at + 1) : this.letters.splice(at, 1);
    letter?.();
  }
}

/** A shard without the workflow around it: its lanes want one call after the other. */
class Shard {
  readonly totals: Totals;
  over = false;
  /** Its run's next execution is to go on with it. */
  carried: ShardCarried | undefined;
  private budget: ShardBudget;
  private sent: SentClaim;
  private version: number;

  constructor(
    private readonly number: number,
    private control: ControlState,
    private readonly world: World,
    /** Calls that it would make yet. */
    public due: number,
    carried?: ShardCarried,
  ) {
    const { allotted } = control;
    if (allotted === undefined) throw new Error('a run with limits allots something');
    const before = carried?.budget ?? newShardBudget(allotted);
    this.budget = advance(before, { type: 'allotted', allotted });
    this.totals = carried?.totals ?? noTotals();
    this.version = carried?.reports ?? 0;
    const { spent, returned } = this.budget;
    this.sent = { at: world.now, claim: { spent, returned, heard: 0, wanted: 0 }, repeated: 0 };
    if (control.exhausted) this.apply({ type: 'over' });
  }

  get open(): number {
    return this.budget.open;
  }

  get waiting(): number {
    return this.budget.waiting;
  }

  /** Lanes that have nothing to do want a call. */
  work(): void {
    const { paused, stopping, exhausted, hands_over, concurrency } = this.control;
    if (paused || stopping || exhausted || hands_over || this.over) return;
    while (this.due > 0 && this.open + this.waiting < concurrency) {
      this.due -= 1;
      this.apply({ type: 'wanted', spent: this.spent() });
    }
    if (this.open + this.waiting === 0) this.apply({ type: 'idle' });
  }

  end(cost: { tokens: number; cost_usd: number } | null): void {
    if (this.open === 0) return;
    if (cost !== null) {
      this.totals.lm_calls += 1;
      this.totals.input_tokens += cost.tokens;
      this.totals.cost_usd = (this.totals.cost_usd ?? 0) + cost.cost_usd;
    }
    this.apply({ type: 'ended', spent: this.spent() });
  }

  /** The provider fails to answer, so it is asked again; a crash may have sent the request more than once. */
  fail(requests: number, cost: { tokens: number; cost_usd: number }): void {
    if (this.open === 0) return;
    const { tokens, cost_usd } = cost;
    const usage = { input_tokens: 0, output_tokens: requests * tokens };
    bookUnkept(this.totals, { requests, usage, cost_usd: requests * cost_usd });
    this.world.sentByCrashes += requests - 1;
    this.due += 1;
    this.apply({ type: 'ended', spent: this.spent() });
  }

  hear(control: ControlState): void {
    if (this.over || control.version <= this.control.version) return;
    this.control = control;
    if (control.allotted !== undefined) this.apply({ type: 'allotted', allotted: control.allotted });
    if (control.asks) this.report(false, this.sent.repeated);
    if (control.exhausted) this.apply({ type: 'over' });
  }

  cancel(): void {
    this.apply({ type: 'over' });
  }

  /** Goes on in another execution. */
  renew(): void {
    if (this.open + this.waiting > 0) return;
    this.budget = JSON.parse(JSON.stringify(this.budget));
  }

  claim(): void {
    if (this.over) return;
    const due = claimDue(this.budget, this.standing(), this.sent);
    if (due !== null && due.at <= this.world.now)
      this.report(due.again, due.again ? this.sent.repeated + 1 : 0);
  }

  private standing() {
    const { now } = this.world;
    return claimOf(this.budget, { sent: this.sent, lanes: this.control.concurrency, now });
  }

  private report(again: boolean, repeated: number): void {
    const { world } = this;
    const { now, mail } = world;
    const claim = this.standing();
    this.sent = { at: now, claim, repeated };
    this.version += 1;
    const { number } = this;
    const report: ShardReport = {
      from: { workflow_id: idOf(number), first: world.runOf(number), run: world.runOf(number) },
      told: this.control.version ?? 0,
      shard: number,
      version: this.version,
      totals: { ...this.totals },
      claim,
      again,
    };
    mail.send(() => world.signal((run) => run.receive(JSON.parse(JSON.stringify(report)))));
  }

  /** Nothing is in flight and nothing will be. */
  endIfDone(): void {
    const { stopping, exhausted, hands_over = false } = this.control;
    const mustEnd = stopping || exhausted || this.budget.over;
    if (this.over || this.open + this.waiting > 0 || (this.due > 0 && !mustEnd && !hands_over)) return;
    this.over = true;
    const finished = this.due === 0;
    const { totals, version } = this;
    if (!finished && !mustEnd) {
      const { budget } = this;
      const at = { next: 0, lanes: [], sequence: 0, reports: 0 };
      this.carried = JSON.parse(JSON.stringify({ ...at, totals, budget, reports: version }));
    }
    const carried = this.carried === undefined ? {} : { carried: this.carried };
    const left = JSON.stringify({ totals, finished, fatal: null, ...carried });
    this.world.tell({ isSignal: false, hear: (run) => run.left(this.number, JSON.parse(left)) });
  }

  private apply(event: ShardBudgetEvent): void {
    this.budget = advance(this.budget, event);
    expect(this.budget.open).toBeGreaterThanOrEqual(0);
    expect(this.budget.waiting).toBeGreaterThanOrEqual(0);
    if (this.budget.over) expect(this.waiting).toBe(0);
  }

  private spent() {
    return amountsOf(spendingOfTotals(this.totals));
  }
}

const idOf = (shard: number): string => `mine/shard-${shard}`;

/** What a run has heard: a signal, or how a shard has ended. */
interface Told {
  isSignal: boolean;
  hear: (run: RunControl) => void;
}

class World {
  now = 0;
  readonly mail = new Mail();
  run: RunControl;
  readonly shards: Shard[] = [];
  /** The run's history has grown long. */
  isLong = false;
  /** How often the run went on in another execution. */
  handovers = 0;
  /** How often it was reset. */
  resets = 0;
  /** Requests beyond those that had leave. */
  sentByCrashes = 0;
  private readonly plan: RunPlan;
  private shown = 0;
  /** What this execution has heard since its shards were at work, in order. */
  private heard: Told[] = [];
  /** Begins this execution once more. */
  private beginning: () => void = () => undefined;
  /** What this execution has allotted to each shard. */
  private said = new Map<number, Allotment>();
  /** What was allotted in messages that a reset run knows nothing of, until a shard says what it holds. */
  private forgotten: Allotment = NOTHING;
  /** What it said then has been said. */
  private isSilent = false;

  constructor(
    readonly limits: Limits,
    { shards, lanes, due }: { shards: number; lanes: number; due: number },
  ) {
    const plan = {
      experiment: 'mine',
      concurrency: lanes,
      memory_scope: 'sample',
      limits,
      shards,
      kept: noTotals(),
    };
    world = this;
    this.plan = { ...plan, search_attributes: [] } as unknown as RunPlan;
    this.run = this.execution();
    this.start(() => due);
  }

  /** Once every shard has handed over what it has left, the run goes on in another execution. */
  renewIfDue(): void {
    if (!this.shards.every(({ over }) => over) || !this.run.carriesOn()) return;
    const carried = JSON.stringify(this.run.handOver());
    this.handovers += 1;
    this.isLong = false;
    this.run = this.execution(carried);
    this.start((shard) => this.shards[shard]?.due ?? 0);
  }

  /** The run id of a shard that this execution has started. */
  runOf(shard: number): string {
    return `${idOf(shard)}-${this.handovers}`;
  }

  /** The run hears something. */
  tell(told: Told): void {
    this.heard.push(told);
    told.hear(this.run);
  }

  signal(hear: Told['hear']): void {
    this.tell({ isSignal: true, hear });
  }

  /** What a run says to a shard. */
  post(workflowId: string, control: ControlState): void {
    const number = Number(workflowId.slice(idOf(0).length - 1));
    this.says(number, control);
    if (this.isSilent) return;
    const copy = JSON.parse(JSON.stringify(control));
    const shard = this.shards[number];
    this.mail.send(() => shard?.hear(copy));
  }

  private says(shard: number, { allotted }: ControlState): void {
    if (allotted !== undefined) this.said.set(shard, allotted);
  }

  /**
   * `temporal workflow reset` to a moment after its shards had been started: what it has heard since then it hears again,
   * and has forgotten what it said.
   * @param forgets also the signals, as `--reapply-exclude Signal` asks.
   */
  reset({ pick, forgets }: { pick: number; forgets: boolean }): void {
    const { heard, said } = this;
    const kept = pick % (heard.length + 1);
    this.resets += 1;
    this.isLong = false;
    this.isSilent = true;
    this.beginning();
    for (const { hear } of heard.slice(0, kept)) hear(this.run);
    this.isSilent = false;
    const again = heard.slice(kept).filter(({ isSignal }) => !isSignal || !forgets);
    this.heard = [...heard.slice(0, kept), ...again];
    if (forgets) this.shown = 0;
    for (const { hear } of again) hear(this.run);
    for (const [shard, before] of said) {
      const beyond = larger(minus(before, this.said.get(shard) ?? before), NOTHING);
      this.forgotten = plus(this.forgotten, beyond);
    }
  }

  private execution(carried?: string): RunControl {
    this.heard = [];
    const run = new RunControl('mine', carried && JSON.parse(carried), () => this.isLong);
    run.begin(this.plan);
    this.beginning = () => {
      this.run = new RunControl('mine', carried && JSON.parse(carried), () => this.isLong);
      this.run.begin(this.plan);
      this.said = new Map();
      const dealt = [...this.run.deal(this.run.due())];
      for (const [number, { control }] of dealt) this.says(number, control);
      this.join(dealt.map(([number]) => number));
    };
    return run;
  }

  private start(due: (shard: number) => number): void {
    const dealt = [...this.run.deal(this.run.due())];
    for (const [number, { control, carried }] of dealt) {
      this.shards[number] = new Shard(number, control, this, due(number), carried);
      this.says(number, control);
    }
    this.join(dealt.map(([number]) => number));
  }

  private join(shards: number[]): void {
    for (const number of shards) {
      this.run.begins(idOf(number));
      const handle = { workflowId: idOf(number), firstExecutionRunId: this.runOf(number) };
      this.run.joined(number, handle as unknown as Parameters<RunControl['joined']>[1]);
    }
  }

  get progress(): Progress {
    return this.run.progress();
  }

  totals(): Totals {
    return addTotals(this.shards.map(({ totals }) => totals));
  }

  work(): void {
    for (const shard of this.shards) {
      shard.work();
      shard.claim();
      shard.endIfDone();
    }
    this.renewIfDue();
  }

  check(lanes: number): void {
    const { max_lm_calls, max_tokens, max_cost_usd } = this.limits;
    const { lm_calls, tokens, cost_usd } = spendingOfTotals(this.totals());
    const most = lanes + this.sentByCrashes;
    const open = this.shards.reduce((sum, shard) => sum + shard.open, 0);
    const { progress } = this;
    expect(progress.totals.lm_calls).toBeGreaterThanOrEqual(this.shown);
    this.shown = progress.totals.lm_calls;
    const { forgotten } = this;
    const beyond = { tokens: forgotten.tokens ?? 0, cost_usd: (forgotten.nanodollars ?? 0) / 1e9 };
    if (max_lm_calls !== null)
      expect(lm_calls + open).toBeLessThanOrEqual(max_lm_calls + this.sentByCrashes + forgotten.lm_calls);
    if (max_tokens !== null)
      expect(tokens).toBeLessThanOrEqual(max_tokens + most * DEAREST.tokens + beyond.tokens);
    if (max_cost_usd !== null)
      expect(cost_usd).toBeLessThanOrEqual(max_cost_usd + most * DEAREST.cost_usd + beyond.cost_usd);
  }

  /** From now on nothing is lost, and every call ends. */
  finish(rounds: number, lanes: number): boolean {
    for (let round = 0; round < rounds; round += 1) {
      if (this.shards.every(({ over }) => over)) return true;
      this.now += 10 * SECOND;
      if (round % 5 === 4) this.isLong = true;
      this.work();
      for (let letters = this.mail.letters.length; letters > 0; letters -= 1) this.mail.deliver(round);
      for (const shard of this.shards) {
        for (let { open } = shard; open > 0; open -= 1) shard.end({ tokens: 1, cost_usd: 0.003 });
      }
      this.check(lanes);
    }
    return this.shards.every(({ over }) => over);
  }
}

const LANES = 12;

const limitsArbitrary: fc.Arbitrary<Limits> = fc
  .record({
    max_lm_calls: fc.option(fc.integer({ min: 1, max: 60 })),
    max_tokens: fc.option(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 3000 }))),
    max_cost_usd: fc.option(fc.double({ min: 0.0001, max: 0.5, noNaN: true })),
  })
  .filter((limits) => Object.values(limits).some((limit) => limit !== null))
  .map((limits) => ({ ...limits, max_wall_seconds: null }));

const cost = fc.record({
  tokens: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: DEAREST.tokens })),
  cost_usd: fc.double({ min: 0, max: DEAREST.cost_usd, noNaN: true }),
});

const failure = fc.record({
  type: fc.constant('fail' as const),
  shard: fc.nat(3),
  requests: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(2) }),
  // Whatever order they are added up in, the sum is the same.
  cost: fc.record({ tokens: fc.nat(DEAREST.tokens), cost_usd: fc.nat(51).map((parts) => parts / 1024) }),
});

const whatHappens = fc.oneof(
  { weight: 3, arbitrary: failure },
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('end' as const), shard: fc.nat(3), cost: fc.option(cost) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('deliver' as const), pick: fc.nat(), keep: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('lose' as const), pick: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('pass' as const), seconds: fc.integer({ min: 0, max: 40 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('lanes' as const), lanes: fc.integer({ min: 1, max: LANES }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('pause' as const), paused: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('renew' as const), shard: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('long' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('reset' as const), pick: fc.nat(), forgets: fc.boolean() }),
  },
);
type Happening = typeof whatHappens extends fc.Arbitrary<infer One> ? One : never;

function happen(one: Happening): void {
  const { shards, mail } = world;
  switch (one.type) {
    case 'end':
      shards[one.shard]?.end(one.cost);
      break;
    case 'fail':
      shards[one.shard]?.fail(one.requests, one.cost);
      break;
    case 'deliver':
      mail.deliver(one.pick, one.keep);
      break;
    case 'lose':
      mail.letters.splice(one.pick % Math.max(mail.letters.length, 1), 1);
      break;
    case 'pass':
      world.now += one.seconds * SECOND;
      break;
    case 'lanes':
      world.signal((run) => run.setConcurrency(one.lanes));
      break;
    case 'pause':
      world.signal((run) => run.pause(one.paused));
      break;
    case 'renew':
      shards[one.shard]?.renew();
      break;
    case 'long':
      world.isLong = true;
      break;
    case 'reset':
      world.reset(one);
      break;
  }
}

const worlds = fc.record({
  limits: limitsArbitrary,
  size: fc.record({
    shards: fc.integer({ min: 1, max: 4 }),
    lanes: fc.integer({ min: 1, max: LANES }),
    due: fc.nat(30),
  }),
  happenings: fc.array(whatHappens, { maxLength: 150 }),
});

/** Lets everything happen to so many runs; then they come to their end. */
function inWorlds(numRuns: number, end: (world: World) => void): void {
  const property = fc.property(worlds, ({ limits, size, happenings }) => {
    world = new World(limits, size);
    for (const one of happenings) {
      happen(one);
      world.work();
      world.check(LANES);
    }
    end(world);
  });
  fc.assert(property, { numRuns });
}

describe('whatever the order, loss and repetition of messages, in however many executions', () => {
  it('no limit is passed by more than the calls in flight, nobody waits for ever, and the shares add up', () => {
    let handovers = 0;
    inWorlds(1000, (world) => {
      if (world.progress.phase === 'paused') world.signal((run) => run.pause(false));
      expect(world.finish(3000, LANES)).toBe(true);
      const done = world.totals();
      const cost_usd = expect.closeTo(done.cost_usd ?? 0, 9);
      expect(world.progress.totals).toEqual({ ...done, cost_usd });
      const left = world.shards.reduce((sum, { due }) => sum + due, 0);
      const { status } = world.run.outcome(false);
      expect(status).toBe(left === 0 ? 'done' : 'limit_reached');
      // Nothing is left to spend, then.
      if (left > 0) expect(world.progress.message).toMatch(/^limits\.max_(lm_calls|tokens|cost_usd): /);
      handovers += world.handovers;
    });
    expect(handovers).toBeGreaterThan(100);
  });

  it('a stop ends it as soon as the calls in flight have ended', () => {
    inWorlds(300, (world) => {
      world.signal((run) => run.stop());
      expect(world.finish(1000, LANES)).toBe(true);
    });
  });

  it('a cancellation refuses whoever waits', () => {
    inWorlds(100, (world) => {
      for (const shard of world.shards) if (!shard.over) shard.cancel();
      expect(world.shards.map(({ waiting }) => waiting)).toEqual(world.shards.map(() => 0));
    });
  });
});

it('an allotment that was overtaken takes nothing away', () => {
  const none = { lm_calls: 0, tokens: null, nanodollars: null };
  const heard = [5, 3].reduce<ShardBudget>(
    (budget, lm_calls) => advance(budget, { type: 'allotted', allotted: { ...none, lm_calls } }),
    newShardBudget(none),
  );
  expect(heard.allotted.lm_calls).toBe(5);
});

it('what a shard says it holds is not given to another one by a run that has forgotten of it', () => {
  const limits = { max_lm_calls: 10, max_tokens: null, max_cost_usd: null, max_wall_seconds: null };
  const holds = { lm_calls: 8, tokens: null, nanodollars: null };
  const none = { ...holds, lm_calls: 0 };
  const allotments = Allotments.begin(limits, noTotals(), [0, 1]);
  allotments.hear(0, { spent: { ...NOTHING, lm_calls: 3 }, returned: none, heard: 8, wanted: 0, holds });
  for (let asked = 0; asked < 5; asked++)
    allotments.hear(1, {
      spent: NOTHING,
      returned: none,
      heard: allotments.of(1)?.lm_calls ?? 0,
      wanted: 10,
    });
  expect(allotments.of(0)?.lm_calls).toBe(8);
  expect(allotments.of(1)?.lm_calls).toBe(2);
});
