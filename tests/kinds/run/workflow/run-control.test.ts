import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GeneratedReply } from '../../../../src/contracts/language-model.js';
import type { RunPlan } from '../../../../src/kinds/run/contracts.js';
import { newLane } from '../../../../src/kinds/run/lane/lane-state.js';
import { noTotals } from '../../../../src/kinds/run/lane/totals.js';
import { enterWorkflow, leaveWorkflow } from '../../../support/workflow-context.js';

// The SDK finds it there when it is loaded.
await vi.hoisted(async () => {
  const { AsyncLocalStorage } = await import('node:async_hooks');
  Object.assign(globalThis, { AsyncLocalStorage });
});
const { RunControl } = await import('../../../../src/kinds/run/workflow/run-control.js');

beforeEach(() => void enterWorkflow());
afterEach(leaveWorkflow);

const NO_LIMITS = { max_lm_calls: null, max_tokens: null, max_cost_usd: null, max_wall_seconds: null };
const PLAN = {
  experiment: 'mine',
  concurrency: 5,
  memory_scope: 'sample',
  limits: NO_LIMITS,
  search_attributes: [],
  kept: noTotals(),
} as unknown as RunPlan;

const REPLY: GeneratedReply = {
  text: '4',
  finish_reason: 'stop',
  usage: { input_tokens: 2, output_tokens: 1 },
};

function begun(plan: Partial<RunPlan> = {}, control = new RunControl()) {
  control.begin({ ...PLAN, ...plan });
  return control;
}

describe('a run', () => {
  it('has the lanes of its plan, or those that were asked for while it was prepared', () => {
    expect(begun().lanes).toBe(5);
    const control = new RunControl();
    expect(control.setConcurrency(2)).toBe(0);
    expect(begun({}, control).lanes).toBe(2);
    expect(control.setConcurrency(8)).toBe(2);
    expect(control.progress().concurrency).toBe(8);
  });

  it('lets samples that share a memory go one by one all the same', () => {
    const control = new RunControl();
    control.setConcurrency(8);
    begun({ memory_scope: 'run', concurrency: 1 }, control);
    expect(control.lanes).toBe(1);
    expect(() => control.assertConcurrency(8)).toThrow('runtime.memory_scope is run');
  });

  it('tells its lanes of whatever changes what they may do', () => {
    const control = begun();
    let changes = 0;
    control.onChange = () => {
      changes += 1;
    };
    control.setConcurrency(3);
    control.pause(true);
    control.pause(false);
    control.stop();
    control.fail('no disk');
    expect(changes).toBe(5);
    expect([control.mustEnd(), control.isOver()]).toEqual([true, true]);
  });

  it('begins nothing where the executions before it have spent everything', () => {
    const kept = { ...noTotals(), lm_calls: 3 };
    const control = begun({ limits: { ...NO_LIMITS, max_lm_calls: 3 }, kept });
    const lane = control.begins(newLane(0, 1, null));
    expect(lane.mayCall()).toBe(false);
    expect(control.outcome(false)).toEqual({
      status: 'limit_reached',
      message: 'limits.max_lm_calls: 3 of 3 calls are made',
    });
  });

  it('counts no reply that an earlier execution has paid for', () => {
    const kept = { ...noTotals(), lm_calls: 3, input_tokens: 6, output_tokens: 3 };
    const control = begun({ limits: { ...NO_LIMITS, max_lm_calls: 4 }, kept });
    const lane = control.begins(newLane(0, 1, null));
    expect(lane.mayCall()).toBe(true);
    lane.answered({ ...REPLY, counted: true });
    expect(control.progress().spending).toMatchObject({ lm_calls: 3, usage: { input_tokens: 6 } });
    expect(lane.mayCall()).toBe(true);
    lane.answered(REPLY);
    expect(control.progress().spending).toMatchObject({ lm_calls: 4, usage: { input_tokens: 8 } });
    expect(control.isOver()).toBe(true);
  });

  it('is done where a limit is met, or a stop asked for, when every sample was visited', () => {
    const control = begun({ limits: { ...NO_LIMITS, max_lm_calls: 1 } });
    const lane = control.begins(newLane(0, 1, null));
    expect(lane.mayCall()).toBe(true);
    lane.answered(REPLY);
    control.stop();
    control.allBegun();
    expect(control.outcome(false)).toEqual({ status: 'done', message: null });
  });

  it('continues with what the execution before has done and was asked', () => {
    const before = begun();
    const lane = before.begins(newLane(0, 1, null));
    lane.ended('correct', undefined);
    lane.answered(REPLY);
    lane.leave();
    before.setConcurrency(3);
    const after = begun({}, new RunControl(before.handOver()));
    expect(after.progress()).toMatchObject({
      concurrency: 3,
      units: { ended: 1 },
      correct: 1,
      spending: { lm_calls: 1 },
    });
  });
});
