import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runPlainly } from '../../../../src/in-process/plain-sdk.js';
import {
  type BundleActivities,
  type Dealt,
  type GenerateInput,
  LANES,
  type LaneOrders,
  type LaneRequest,
  type RunPlan,
} from '../../../../src/kinds/run/contracts.js';
import { lanes } from '../../../../src/kinds/run/workflow/lane-bundle.js';
import { LaneDealer } from '../../../../src/kinds/run/workflow/lane-dealer.js';
import { LaneQueue } from '../../../../src/kinds/run/workflow/lane-queue.js';
import { RunControl } from '../../../../src/kinds/run/workflow/run-control.js';
import type { WorkflowFunction } from '../../../../src/workflows/kind.js';
import { RIGHT, samplePlan, USAGE } from '../../../support/sample-plan.js';

const LIMIT = 500;
const AT_ONCE = 100;
/** Milliseconds after which a run that has not ended is one that hangs; it takes a second or two. */
const HANGS_AFTER = 20_000;
const PLAN = samplePlan({ concurrency: AT_ONCE, slots: 3 * LIMIT, max_lm_calls: LIMIT });

/** Eight times as fast as what waits in bundles was made for. */
const pause = (milliseconds: number) => sleep(milliseconds / 8);
const never = () => new Promise<never>(() => undefined);

/** A dealer as its workflow's handlers call it. */
type Dealing = { deal(deal: LaneRequest): Dealt; orders(bundle: number): LaneOrders };

/** Run whose bundles are in one worker, which dies and begins anew, while its history grows long now and then. */
class Run {
  requests = 0;
  private readonly stored = new Map<string, object>();
  private generation = 0;
  private deaths: (() => void)[] = [];
  private handsOver = false;

  /**
   * @param deathsAt numbers of requests at which its worker dies
   * @param handsOverAt numbers of requests at which it is about to continue as new
   * @param paid number of its first samples that an earlier execution has paid for
   */
  constructor(
    private readonly deathsAt: number[],
    private readonly handsOverAt: number[],
    paid: number,
  ) {
    for (let index = 0; index < paid; index += 1)
      this.stored.set(`s${index}`, { ...RIGHT, counted: true, found: true });
  }

  async work(): Promise<RunControl> {
    let carried: { next: number; lanes: ReturnType<LaneQueue['left']> } = { next: 0, lanes: [] };
    let before: ReturnType<RunControl['handOver']> | undefined;
    for (;;) {
      this.handsOver = false;
      const control = new RunControl(before);
      control.handsOver = () => this.handsOver;
      const queue = new LaneQueue(PLAN, carried.next, carried.lanes);
      let dealer: LaneDealer | undefined;
      const workflow = () => {
        control.begin(PLAN);
        dealer = new LaneDealer(PLAN, control, queue);
        return dealer.run();
      };
      const activities = {
        runUnits: ({ args }: { args: [RunPlan, number] }) =>
          this.runBundle(args, () => dealer as unknown as Dealing),
      };
      const hasSuspects = await runPlainly(
        workflow,
        { workflowId: 'mine', type: 'run', args: [] },
        { activities, warn: () => undefined, pause },
      );
      // Suspects are worked on call by call.
      if (!this.handsOver || control.isOver() || hasSuspects) return control;
      carried = { next: queue.next, lanes: queue.left() };
      before = control.handOver();
    }
  }

  /** Runs a bundle until one of its attempts is not lost. */
  private async runBundle(args: [RunPlan, number], dealer: () => Dealing): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      const died = new Promise<null>((resolve) => void this.deaths.push(() => resolve(null)));
      const lives = runPlainly(
        lanes as WorkflowFunction,
        { workflowId: 'mine', type: LANES, args: [...args, attempt] },
        { activities: this.activities(args[1], dealer), warn: () => undefined, pause },
      );
      const result = await Promise.race([lives, died]);
      if (result !== null) return result;
      await pause(500);
    }
  }

  private activities(bundle: number, dealer: () => Dealing) {
    const { generation } = this;
    /** Answers soon, unless the worker dies before. */
    const soon = async <Value>(answer: () => Value): Promise<Value> => {
      await sleep(1 + Math.random() * 3);
      return generation === this.generation ? answer() : never();
    };
    const dealing: Pick<BundleActivities, 'dealLanes' | 'laneOrders'> = {
      dealLanes: ({ deal }) => soon(() => structuredClone(dealer().deal(structuredClone(deal)))),
      laneOrders: () => soon(() => dealer().orders(bundle)),
    };
    return {
      ...dealing,
      openSamples: ({ from, count }: { from: number; count: number }) =>
        soon(() =>
          Array.from({ length: count }, (_, at) => ({
            index: from + at,
            id: `s${from + at}`,
            state: null,
            obs: 'What?',
          })),
        ),
      writePart: () => soon(() => undefined),
      generate: ({ call, before }: GenerateInput) => {
        const found = this.stored.get(call.sample_id);
        if (found !== undefined) return soon(() => found);
        this.requests += 1;
        if (this.requests >= (this.handsOverAt[0] ?? Number.POSITIVE_INFINITY)) {
          this.handsOverAt.shift();
          this.handsOver = true;
        }
        if (this.requests >= (this.deathsAt[0] ?? Number.POSITIVE_INFINITY)) {
          this.deathsAt.shift();
          this.generation += 1;
          for (const die of this.deaths.splice(0)) die();
        }
        const unbooked = before?.unbooked ?? 0;
        return soon(() => {
          this.stored.set(call.sample_id, { ...RIGHT, found: true });
          return unbooked === 0
            ? RIGHT
            : {
                ...RIGHT,
                maybe_repeated: unbooked,
                unrecorded: { requests: unbooked, usage: USAGE, cost_usd: 0 },
              };
        });
      },
    };
  }
}

it('a limited run in bundles ends, whenever its worker dies and its history grows long', async () => {
  const moments = (maxLength: number) =>
    fc
      .array(fc.integer({ min: 10, max: LIMIT }), { maxLength })
      .map((found) => found.sort((one, other) => one - other));
  await fc.assert(
    fc.asyncProperty(moments(2), moments(4), fc.nat(80), async (deathsAt, handsOverAt, paid) => {
      const deaths = deathsAt.length;
      const run = new Run([...deathsAt], [...handsOverAt], paid);
      const late = sleep(HANGS_AFTER, null, { ref: false });
      const control = await Promise.race([run.work(), late]);
      expect(control, 'it hangs').not.toBeNull();
      // A worker that dies leaves calls that nobody has counted: as many as it was granted, at most two a lane.
      expect(run.requests).toBeLessThanOrEqual(LIMIT + deaths * 2 * AT_ONCE);
      if (deaths === 0) expect(control?.settled().lm_calls).toBe(LIMIT);
    }),
    { numRuns: 12, endOnFailure: true },
  );
}, 120_000);
