import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { FAILURE_TYPES } from '../../../../src/contracts/names.js';
import { runPlainly } from '../../../../src/in-process/plain-sdk.js';
import {
  type Dealt,
  LANES,
  type LaneBundleResult,
  type LaneOrders,
  type LaneRequest,
  type RunPlan,
} from '../../../../src/kinds/run/contracts.js';
import { newLane } from '../../../../src/kinds/run/lane/lane-state.js';
import { lanes } from '../../../../src/kinds/run/workflow/lane-bundle.js';
import type { WorkflowFunction } from '../../../../src/workflows/kind.js';
import { RIGHT, samplePlan } from '../../../support/sample-plan.js';

const PLAN = samplePlan();

const GOING: LaneOrders = { lanes: 2, isPaused: false, mustEnd: false, isOver: false, handsOver: false };

/** A run of so many samples that deals them as they are asked for, or as `deals` says, and keeps what it was told. */
class Run {
  orders = GOING;
  readonly deals: LaneRequest[] = [];
  readonly parts: { id: string }[] = [];
  readonly asked: object[] = [];
  private next = 0;

  constructor(
    private readonly samples: number,
    private readonly more: {
      ahead?: number;
      generate?: (run: Run) => Promise<object>;
      writePart?: () => Promise<void>;
      dealt?: (dealt: Dealt) => Dealt;
      plan?: Partial<RunPlan>;
      /** Number of calls to grant: those that are requested, at least so many at once. */
      calls?: number;
      atOnce?: number;
    } = {},
  ) {}

  /** Grants what is requested, and ends the run when no lane has a call left. */
  private grant({ calls, running }: LaneRequest): void {
    const { calls: most, atOnce = 1 } = this.more;
    if (most === undefined || calls === undefined) return;
    const { granted = 0 } = this.orders;
    const more = calls.requested > 0 ? Math.min(Math.max(calls.requested, atOnce), most - granted) : 0;
    const isOver = more === 0 && granted === most && calls.requested >= running && this.asked.length === most;
    this.orders = { ...this.orders, granted: granted + more, isOver };
  }

  work(signal?: AbortSignal): Promise<LaneBundleResult> {
    const { more } = this;
    const activities = {
      openSamples: async ({ from, count }: { from: number; count: number }) =>
        Array.from({ length: count }, (_, position) => {
          const index = from + position;
          return { index, id: `s${index}`, state: null, obs: 'What?' };
        }),
      generate: async (input: object) => {
        this.asked.push(input);
        return more.generate?.(this) ?? RIGHT;
      },
      writePart: async ({ episodes }: { episodes: { id: string }[] }) => {
        await more.writePart?.();
        this.parts.push(...episodes);
      },
      laneOrders: async () => this.orders,
      dealLanes: async ({ deal }: { deal: LaneRequest }): Promise<Dealt> => {
        this.deals.push(deal);
        this.grant(deal);
        const count = Math.min(deal.want + (deal.want > 0 ? (more.ahead ?? 0) : 0), this.samples - this.next);
        const dealt = Array.from({ length: count }, () => newLane(this.next, ++this.next, null));
        return (more.dealt ?? ((one) => one))({ lanes: dealt, orders: this.orders });
      },
    };
    return runPlainly(
      lanes as WorkflowFunction,
      { workflowId: 'run', type: LANES, args: [{ ...PLAN, ...more.plan }, 0, 1] },
      { activities, warn: () => undefined, ...(signal === undefined ? {} : { signal }) },
    ) as Promise<LaneBundleResult>;
  }
}

it('works on all that it is dealt, and reports it once', async () => {
  const run = new Run(20);
  const { left, totals, fatal } = await run.work();
  expect({ left, fatal }).toEqual({ left: [], fatal: null });
  expect(totals).toMatchObject({ samples: 20, correct: 20, lm_calls: 20, input_tokens: 20 });
  expect(run.parts.map(({ id }) => id).sort()).toEqual(Array.from({ length: 20 }, (_, n) => `s${n}`).sort());
  const ended = run.deals.flatMap((deal) => deal.ended);
  expect(new Set(ended).size).toBe(ended.length);
});

it('works on no more lanes at once than it is told', async () => {
  let [inFlight, most] = [0, 0];
  const generate = async () => {
    most = Math.max(most, ++inFlight);
    await sleep(5);
    inFlight -= 1;
    return RIGHT;
  };
  await new Run(12, { generate }).work();
  expect(most).toBe(2);
});

it('ends where it is stopped with lanes in advance, and hands these back', async () => {
  const generate = async (run: Run) => {
    run.orders = { ...GOING, mustEnd: true };
    await sleep(1500);
    return RIGHT;
  };
  const { left, totals } = await new Run(10, { ahead: 6, generate }).work();
  expect(totals.samples).toBe(2);
  expect(left.map(({ from }) => from)).toEqual([2, 3, 4, 5, 6, 7]);
});

it('hands its lanes back where it is cancelled in the middle of a call', async () => {
  const cancelled = new AbortController();
  const generate = () => {
    cancelled.abort();
    return new Promise<object>(() => {});
  };
  const { left, totals, fatal } = await new Run(2, { generate }).work(cancelled.signal);
  expect(left.map(({ from }) => from).sort()).toEqual([0, 1]);
  expect({ samples: totals.samples, fatal }).toEqual({ samples: 0, fatal: null });
});

it('ends its run where the store refuses for good', async () => {
  const writePart = () =>
    Promise.reject(ApplicationFailure.nonRetryable('no such bucket', FAILURE_TYPES.fatalStorage));
  expect((await new Run(2, { writePart }).work()).fatal).toBe('no such bucket');
});

it('asks nothing where another attempt works as this bundle', async () => {
  const run = new Run(4, { dealt: ({ orders }) => ({ lanes: [newLane(0, 1, null)], orders, isOld: true }) });
  expect((await run.work()).totals.lm_calls).toBe(0);
  expect(run.asked).toEqual([]);
});

it('says of the calls of a lane that was lost with a worker that they may have been made before', async () => {
  const generate = async () => ({ ...RIGHT, maybe_repeated: 1 });
  let isFirst = true;
  const dealt = (one: Dealt): Dealt => {
    const lost = isFirst ? { ...one, lanes: [{ ...newLane(0, 1, null), lost: 1 }] } : one;
    isFirst = false;
    return lost;
  };
  const run = new Run(0, { generate, dealt });
  expect((await run.work()).totals).toMatchObject({ lm_calls: 1, lm_calls_maybe_repeated: 1 });
  expect(run.asked).toMatchObject([{ before: { failures: 0, crashes: 1, unbooked: 1 } }]);
});

const limitedTo = (max_lm_calls: number) => ({ limits: { ...PLAN.limits, max_lm_calls } });

it('asks for no call that it is not granted, and says how many it needs', async () => {
  const run = new Run(10, { plan: limitedTo(4), calls: 4 });
  const { totals, left } = await run.work();
  expect({ samples: totals.samples, asked: run.asked.length }).toEqual({ samples: 4, asked: 4 });
  // Lanes that were begun without a call are handed back.
  expect(left.length).toBeGreaterThan(0);
  for (const { calls } of run.deals) expect(calls?.granted).toBeLessThanOrEqual(4);
});

it('returns granted calls that others wait for', async () => {
  const generate = async (run: Run) => {
    run.orders = { ...run.orders, isShort: true };
    await sleep(2500);
    return RIGHT;
  };
  const run = new Run(1, { plan: limitedTo(100), calls: 100, atOnce: 20, generate });
  await run.work();
  expect(run.deals.some(({ calls }) => calls?.returned === 19)).toBe(true);
});
