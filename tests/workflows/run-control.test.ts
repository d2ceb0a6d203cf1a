import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunPlan } from '../../src/contracts/run.js';
import { noTotals } from '../../src/runtime/totals.js';
import { RunControl } from '../../src/workflows/run-control.js';
import { enterWorkflow, leaveWorkflow } from '../support/workflow-context.js';

// The SDK finds it there when it is loaded.
await vi.hoisted(async () => {
  const { AsyncLocalStorage } = await import('node:async_hooks');
  Object.assign(globalThis, { AsyncLocalStorage });
});

/** What each shard has heard, by its workflow id. */
const heardBy = new Map<string, unknown[]>();
let cancelled: { runId: string }[];

beforeEach(() => {
  heardBy.clear();
  cancelled = enterWorkflow(({ workflowId, args }) => heardBy.get(workflowId)?.push(args[0]));
});
afterEach(leaveWorkflow);

const NO_LIMITS = { max_lm_calls: null, max_tokens: null, max_cost_usd: null, max_wall_seconds: null };
const PLAN = {
  experiment: 'mine',
  concurrency: 5,
  memory_scope: 'sample',
  limits: NO_LIMITS,
  search_attributes: [],
} as unknown as RunPlan;

function lanesOf(control: RunControl, shards: number[]): number[] {
  return [...control.deal(shards).values()].map(({ control: { concurrency } }) => concurrency);
}

describe('RunControl', () => {
  it('starts its shards with the lanes of the plan', () => {
    const control = new RunControl('mine');
    control.begin(PLAN);
    expect(lanesOf(control, [0, 1])).toEqual([3, 2]);
  });

  it('starts them with those that were asked for while the run was prepared', () => {
    const control = new RunControl('mine');
    expect(control.setConcurrency(2)).toBe(0);
    control.begin(PLAN);
    expect(lanesOf(control, [0, 1])).toEqual([1, 1]);
    expect(control.progress().concurrency).toBe(2);
    expect(control.setConcurrency(8)).toBe(2);
  });

  it('lets samples that share a memory go one by one all the same', () => {
    const control = new RunControl('mine');
    control.setConcurrency(8);
    control.begin({ ...PLAN, memory_scope: 'run', concurrency: 1 });
    expect(lanesOf(control, [0])).toEqual([1]);
    expect(() => control.assertConcurrency(8)).toThrow('runtime.memory_scope is run');
  });

  it('hands on that it was paused while it was prepared', () => {
    const control = new RunControl('mine');
    control.pause(true);
    control.begin(PLAN);
    expect(control.progress().phase).toBe('paused');
    expect(control.deal([0]).get(0)?.control).toEqual({
      version: 1,
      paused: true,
      stopping: false,
      exhausted: false,
      concurrency: 5,
    });
  });

  /** What a shard hears that has just been started. */
  function heardAtTheStart(control: RunControl, shard = 0): unknown[] {
    const heard: unknown[] = [];
    const handle = { workflowId: `mine/shard-${shard}`, firstExecutionRunId: `first-${shard}` };
    heardBy.set(handle.workflowId, heard);
    control.joined(shard, handle as unknown as Parameters<RunControl['joined']>[1]);
    return heard;
  }

  it.each([
    ['resumed', { paused: false, concurrency: 5 }],
    ['given other lanes', { paused: true, concurrency: 3 }],
  ])('tells a shard that was being started when the run was %s', (_, asked) => {
    const control = new RunControl('mine');
    control.pause(true);
    control.begin(PLAN);
    control.deal([0]);
    control.pause(asked.paused);
    control.setConcurrency(asked.concurrency);
    expect(heardAtTheStart(control)).toEqual([{ ...asked, version: 2, stopping: false, exhausted: false }]);
  });

  it('leaves to shards that are still being started their share of other lanes', () => {
    const control = new RunControl('mine');
    control.begin(PLAN);
    control.deal([0, 1]);
    control.setConcurrency(8);
    expect(heardAtTheStart(control, 0)).toMatchObject([{ concurrency: 4 }]);
    expect(heardAtTheStart(control, 1)).toMatchObject([{ concurrency: 4 }]);
  });

  it('tells one nothing that was started with what is asked', () => {
    const control = new RunControl('mine');
    control.begin(PLAN);
    control.deal([0]);
    expect(heardAtTheStart(control)).toEqual([]);
  });

  const TOTALS = { ...noTotals(), lm_calls: 3 };
  const SENT = { from: { workflow_id: 'mine/shard-0', first: 'first-0', run: 'first-0' }, told: 0 };

  it('keeps to the newest report of a shard, and to its last word', () => {
    const control = new RunControl('mine');
    control.begin(PLAN);
    control.deal([0]);
    heardAtTheStart(control);
    control.receive({ ...SENT, shard: 0, version: 2, totals: TOTALS });
    control.receive({ ...SENT, shard: 0, version: 1, totals: { ...TOTALS, lm_calls: 1 } });
    expect(control.progress().totals.lm_calls).toBe(3);
    control.left(0, { totals: { ...TOTALS, lm_calls: 5 }, finished: true, fatal: null });
    control.receive({ ...SENT, shard: 0, version: 3, totals: { ...TOTALS, lm_calls: 4 } });
    expect(control.progress().totals.lm_calls).toBe(5);
  });

  it('begins nothing where the execution before it has spent everything', () => {
    const control = new RunControl('mine');
    control.begin({ ...PLAN, limits: { ...NO_LIMITS, max_lm_calls: 3 }, kept: TOTALS, shards: 1 });
    expect(control.deal([0]).get(0)?.control).toMatchObject({ exhausted: true, allotted: { lm_calls: 0 } });
    control.left(0, { totals: noTotals(), finished: false, fatal: null });
    expect(control.outcome(false)).toEqual({
      status: 'limit_reached',
      message: 'limits.max_lm_calls: 3 of 3 calls are made',
    });
  });

  it('tells the others at once when the last word of a shard reaches a limit', () => {
    const control = new RunControl('mine');
    control.begin({ ...PLAN, limits: { ...NO_LIMITS, max_lm_calls: 3 }, kept: noTotals(), shards: 2 });
    control.deal([0, 1]);
    heardAtTheStart(control, 0);
    const heard = heardAtTheStart(control, 1);
    control.left(0, { totals: TOTALS, finished: true, fatal: null });
    expect(heard.at(-1)).toMatchObject({ exhausted: true });
  });

  describe('after a reset', () => {
    const from = (first: string, run = first) => ({ workflow_id: 'mine/shard-0', first, run });

    it('hears what its own shard says before its start is heard of', () => {
      const control = new RunControl('mine');
      control.begin(PLAN);
      control.deal([0]);
      control.begins('mine/shard-0');
      control.receive({ told: 0, from: from('first-0'), shard: 0, version: 1, totals: TOTALS });
      expect(control.progress().totals.lm_calls).toBe(0);
      heardAtTheStart(control);
      expect(control.progress().totals.lm_calls).toBe(3);
      expect(cancelled).toEqual([]);
    });

    it('ends, once, a shard of the execution before', () => {
      const control = new RunControl('mine');
      control.begin(PLAN);
      control.deal([0]);
      heardAtTheStart(control);
      for (const version of [1, 2])
        control.receive({ told: 0, from: from('another', 'its-run'), shard: 0, version, totals: TOTALS });
      expect(control.progress().totals.lm_calls).toBe(0);
      expect(cancelled).toMatchObject([{ runId: 'its-run' }]);
    });

    it('ends nothing that only says it is a part of it', () => {
      const control = new RunControl('mine');
      control.begin(PLAN);
      const stranger = { workflow_id: 'yours/shard-0', first: 'x', run: 'x' };
      control.receive({ told: 0, from: stranger, shard: 0, version: 1, totals: TOTALS });
      expect(cancelled).toEqual([]);
    });

    it('counts the reports of a shard that was reset from the beginning', () => {
      const control = new RunControl('mine');
      control.begin(PLAN);
      control.deal([0]);
      heardAtTheStart(control);
      control.receive({ told: 0, from: from('first-0'), shard: 0, version: 9, totals: TOTALS });
      const again = { ...TOTALS, lm_calls: 2 };
      control.receive({ told: 0, from: from('first-0', 'second-run'), shard: 0, version: 1, totals: again });
      expect(control.progress().totals.lm_calls).toBe(2);
      // The execution before it has ended, and what was on its way counts no more.
      control.receive({
        told: 0,
        from: from('first-0'),
        shard: 0,
        version: 3,
        totals: { ...TOTALS, lm_calls: 4 },
      });
      control.receive({ told: 0, from: from('first-0', 'second-run'), shard: 0, version: 2, totals: TOTALS });
      expect(control.progress().totals.lm_calls).toBe(3);
    });

    it('tells a shard that was told more than it knows of anew what is asked', () => {
      const control = new RunControl('mine');
      control.begin(PLAN);
      control.deal([0]);
      const heard = heardAtTheStart(control);
      control.receive({ from: from('first-0'), told: 7, shard: 0, version: 1, totals: TOTALS });
      expect(heard).toHaveLength(1);
      expect((heard[0] as { version: number }).version).toBeGreaterThan(7);
    });
  });
});
