import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvalPlan, RolloutResult } from '../../../../src/kinds/agent-eval/contracts.js';
import { noAgentEvalTotals } from '../../../../src/kinds/agent-eval/rollouts/totals.js';
import { AgentEvalControl } from '../../../../src/kinds/agent-eval/workflow/agent-eval-control.js';
import { enterWorkflow, leaveWorkflow } from '../../../support/workflow-context.js';

/** What each rollout has heard, by its workflow id. */
const heardBy = new Map<string, unknown[]>();

beforeEach(() => {
  enterWorkflow(({ workflowId, args }) => heardBy.get(workflowId)?.push(args[0]));
});
afterEach(leaveWorkflow);

const PLAN = {
  experiment: 'mine',
  rows: [{ row: 'a', n_rollouts: 2 }],
  concurrency: 5,
  limits: { max_lm_calls: 4, max_tokens: null, max_cost_usd: null, max_wall_seconds: null },
  kept: noAgentEvalTotals(),
  search_attributes: [],
  artifacts: '',
} as unknown as AgentEvalPlan;

const DONE = {
  status: 'done',
  score: 1,
  fatal: null,
  totals: {
    agent_turns: 2,
    tool_calls: 0,
    tool_calls_failed: 0,
    lm_calls: 2,
    usage: { input_tokens: 2, output_tokens: 2 },
    cost_usd: 0,
  },
} as unknown as RolloutResult;

type Handle = Parameters<AgentEvalControl['joined']>[0];

const executionOf = ({ workflowId, firstExecutionRunId }: Handle) => ({
  workflow_id: workflowId,
  first: firstExecutionRunId,
  run: firstExecutionRunId,
});

let rollouts = 0;
function rollout(): Handle & { heard: unknown[] } {
  const heard: unknown[] = [];
  const workflowId = `mine/a/${rollouts++}`;
  heardBy.set(workflowId, heard);
  return { workflowId, heard, firstExecutionRunId: workflowId } as unknown as Handle & { heard: unknown[] };
}

function begun(): AgentEvalControl {
  const control = new AgentEvalControl();
  control.begin(PLAN);
  return control;
}

describe('AgentEvalControl', () => {
  it('is done where its limit is met by the last of its rollouts', () => {
    const control = begun();
    control.left(rollout(), DONE);
    expect(control.continues()).toBe(true);
    control.left(rollout(), DONE);
    expect(control.continues()).toBe(false);
    control.allBegun();
    expect(control.outcome(false)).toEqual({ status: 'done', message: null });
  });

  it('counts once what a rollout has reported before it ended', () => {
    const control = begun();
    const first = rollout();
    control.begins(first.workflowId);
    control.joined(first);
    control.receive({
      from: executionOf(first),
      rollout: first.workflowId,
      budget: {
        spent: { lm_calls: 2, tokens: 4, cost_usd: 0 },
        granted: 2,
        returned: 0,
        requested: 0,
      },
    });
    control.left(first, DONE);
    expect(control.continues()).toBe(true);
  });

  it('is not where rollouts are left', () => {
    const control = begun();
    control.left(rollout(), DONE);
    control.left(rollout(), DONE);
    expect(control.outcome(false)).toMatchObject({ status: 'limit_reached' });
    expect(control.outcome(false).message).toContain('limits.max_lm_calls');
  });

  it('nor where one of them stands still', () => {
    const control = begun();
    control.left(rollout(), { ...DONE, status: 'suspended', score: null });
    control.allBegun();
    expect(control.outcome(false)).toEqual({
      status: 'limit_reached',
      message: 'limits: a rollout had nothing left to spend',
    });
  });

  it('failed where one of them broke, and was cancelled where somebody cancelled it', () => {
    const control = begun();
    control.broke(rollout(), 'a fault');
    control.allBegun();
    expect(control.outcome(false)).toEqual({ status: 'failed', message: 'a fault' });
    expect(control.outcome(true).status).toBe('cancelled');
  });

  it('grants its calls to the rollouts that ask, and takes back what one of them leaves', () => {
    const control = begun();
    const [one, other] = [rollout(), rollout()];
    for (const { workflowId } of [one, other]) control.begins(workflowId);
    const asks = (handle: Handle, calls: number, requested = 3) => {
      const budget = {
        spent: { lm_calls: calls, tokens: calls, cost_usd: 0 },
        granted: calls,
        returned: 0,
        requested,
      };
      control.receive({ from: executionOf(handle), rollout: handle.workflowId, budget });
    };
    asks(one, 0);
    // It is granted once the rollout can hear of it.
    expect(one.heard).toEqual([]);
    control.joined(one);
    control.joined(other);
    expect(one.heard).toEqual([3]);
    asks(other, 0);
    expect(other.heard).toEqual([1]);
    asks(other, 1);
    expect(other.heard).toEqual([1]);
    // It used two of its three.
    control.left(one, DONE);
    expect(other.heard).toEqual([1, 2]);
    asks(other, 2);
    expect(other.heard.at(-1)).toEqual({ paused: false, exhausted: true });
    expect(control.outcome(false).message).toBe('limits.max_lm_calls: 4 of 4 calls are made');
  });

  it.each([
    ['one of them meets an error that all of them would meet', 'suspended'],
    ['one of them is broken off', 'broken'],
  ])('lets rollouts that wait for calls stand still where %s', (_, how) => {
    const control = begun();
    const [one, other] = [rollout(), rollout()];
    for (const handle of [one, other]) {
      control.begins(handle.workflowId);
      control.joined(handle);
    }
    const spent = { lm_calls: 0, tokens: 0, cost_usd: 0 };
    for (const [handle, requested] of [
      [one, 4],
      [other, 1],
    ] as const) {
      const budget = { spent, granted: 0, returned: 0, requested };
      control.receive({ from: executionOf(handle), rollout: handle.workflowId, budget });
    }
    expect(other.heard).toEqual([]);
    if (how === 'broken') control.broke(one, 'a fault');
    else control.left(one, { ...DONE, status: 'suspended', score: null, fatal: 'a fault' });
    expect(other.heard).toEqual([{ paused: false, exhausted: true }]);
    expect(control.outcome(false)).toEqual({ status: 'failed', message: 'a fault' });
  });

  it('lets its rollouts end when it is stopped while it is paused', () => {
    const control = begun();
    const one = rollout();
    control.joined(one);
    control.pause(true);
    control.stop();
    control.pause(false);
    expect(one.heard.map((heard) => (heard as { paused: boolean }).paused)).toEqual([true, false, false]);
    expect(control.progress().phase).toBe('stopping');
    expect(control.hasRoom(0)).toBe(false);
  });

  it('continues as the execution before did, but for what is asked of it since', () => {
    const asked = { paused: true, stopping: false, exhausted: null, concurrency: 2 };
    const control = new AgentEvalControl({
      asked,
      totals: { ...noAgentEvalTotals(), rollouts: 1, reward: 1 },
    });
    control.setConcurrency(3);
    control.begin(PLAN);
    expect(control.handOver()).toMatchObject({
      asked: { paused: true, concurrency: 3 },
      totals: { rollouts: 1 },
    });
    expect(control.progress()).toMatchObject({ phase: 'paused', units: { ended: 1 }, mean_reward: 1 });
  });
});
