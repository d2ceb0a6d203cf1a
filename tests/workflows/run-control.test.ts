import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunPlan } from '../../src/contracts/run.js';
import { RunControl } from '../../src/workflows/run-control.js';

/** The SDK's own place for the workflow that it runs. */
const sdk = globalThis as { __TEMPORAL_ACTIVATOR__?: object };
beforeEach(() => {
  sdk.__TEMPORAL_ACTIVATOR__ = { patchInternal: () => true };
});
afterEach(() => {
  delete sdk.__TEMPORAL_ACTIVATOR__;
});

const NO_LIMITS = { max_lm_calls: null, max_tokens: null, max_cost_usd: null, max_wall_seconds: null };
const PLAN = {
  experiment: 'mine',
  concurrency: 5,
  memory_scope: 'sample',
  limits: NO_LIMITS,
  search_attributes: [],
} as unknown as RunPlan;

function lanesOf(control: RunControl, shards: number[]): number[] {
  return [...control.deal(shards).values()].map(({ concurrency }) => concurrency);
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
    expect(control.deal([0]).get(0)).toEqual({
      paused: true,
      stopping: false,
      exhausted: false,
      concurrency: 5,
    });
  });

  /** What a shard hears that has just been started. */
  function heardAtTheStart(control: RunControl, shard = 0): unknown[] {
    const heard: unknown[] = [];
    const signal = async (_signal: unknown, state: unknown) => void heard.push(state);
    const handle = { workflowId: `mine/shard-${shard}`, signal };
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
    expect(heardAtTheStart(control)).toEqual([{ ...asked, stopping: false, exhausted: false }]);
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
});
