import { expect, it } from 'vitest';
import { runPlainly } from '../../../../src/in-process/plain-sdk.js';
import type { Dealt, LaneBundleResult, LaneRequest, Totals } from '../../../../src/kinds/run/contracts.js';
import { noTotals } from '../../../../src/kinds/run/lane/totals.js';
import { LaneDealer } from '../../../../src/kinds/run/workflow/lane-dealer.js';
import { LaneQueue } from '../../../../src/kinds/run/workflow/lane-queue.js';
import { RunControl } from '../../../../src/kinds/run/workflow/run-control.js';
import { NOTHING_SPENT } from '../../../../src/runtime/step-cost.js';
import { samplePlan, USAGE } from '../../../support/sample-plan.js';

const LIMIT = 10;
const PLAN = samplePlan({ concurrency: 4, slots: 20, max_lm_calls: LIMIT });

/** Runs a dealer whose only bundle reports as `work` says. */
function dealt(work: (report: (deal: Partial<LaneRequest>) => Dealt) => LaneBundleResult): Promise<unknown> {
  let report: (deal: Partial<LaneRequest>) => Dealt;
  const workflow = async () => {
    const control = new RunControl();
    control.begin(PLAN);
    const dealer = new LaneDealer(PLAN, control, new LaneQueue(PLAN, 0, []));
    const { deal } = dealer as unknown as { deal(deal: LaneRequest): Dealt };
    report = (more) =>
      deal.call(dealer, {
        bundle: 0,
        attempt: 1,
        want: 0,
        ended: [],
        running: 0,
        totals: { ended: noTotals(), open: noTotals(), found: NOTHING_SPENT },
        ...more,
      });
    await dealer.run();
  };
  const activities = { runUnits: async () => work(report) };
  return runPlainly(
    workflow,
    { workflowId: 'mine', type: 'run', args: [] },
    { activities, warn: () => undefined },
  );
}

const called = (lm_calls: number): Totals => ({ ...noTotals(), lm_calls });

it('grants a bundle that begins again what is left, though its earlier attempt had spent more than half', async () => {
  const seen: Dealt[] = [];
  await dealt((report) => {
    report({ want: 8, calls: { granted: 0, returned: 0, requested: 8 } });
    const totals = { ended: called(2), open: called(4), found: NOTHING_SPENT };
    report({ ended: [0, 1], totals, calls: { granted: 8, returned: 0, requested: 0 } });
    // Its worker dies, and the next attempt has not found the four calls again.
    seen.push(report({ attempt: 2, want: 6, calls: { granted: 0, returned: 0, requested: 6 } }));
    return { left: [], totals: called(LIMIT - 2), found: { ...NOTHING_SPENT, lm_calls: 4 }, fatal: null };
  });
  const again = seen.flatMap(({ lanes }) => lanes.map(({ from, lost }) => [from, lost]));
  expect(again).toEqual([2, 3, 4, 5, 6, 7].map((from) => [from, 1]));
  // What the limit leaves beside the two of lanes that have ended and the four that will be found again.
  expect(seen[0]?.orders).toMatchObject({ isOver: false, isShort: false, granted: LIMIT - 6 });
});

it('is over where what a crash has repeated comes to the limit, though few of the lost calls are found again', async () => {
  const seen: Dealt[] = [];
  await dealt((report) => {
    report({ want: 8, calls: { granted: 0, returned: 0, requested: 8 } });
    const totals = { ended: noTotals(), open: called(5), found: NOTHING_SPENT };
    report({ totals, calls: { granted: 8, returned: 0, requested: 0 } });
    report({ attempt: 2, want: 8, calls: { granted: 0, returned: 0, requested: 8 } });
    const unrecorded = { requests: LIMIT - 4, usage: USAGE, cost_usd: 0 };
    const open = { ...called(4), unrecorded };
    const calls = { granted: LIMIT, returned: 0, requested: 2 };
    const found = { ...NOTHING_SPENT, lm_calls: 4 };
    seen.push(report({ attempt: 2, totals: { ended: noTotals(), open, found }, calls }));
    return { left: [], totals: open, found, fatal: null };
  });
  expect(seen[0]?.orders).toMatchObject({ isOver: true });
});
