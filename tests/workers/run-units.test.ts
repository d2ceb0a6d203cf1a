import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, test, vi } from 'vitest';
import type { RunUnitInput, UnitMail } from '../../src/contracts/run-units.js';
import { createRunUnits } from '../../src/workers/run-units.js';

const MODELS = { timeout_sec: 1, max_attempts: 1 };
const EXPERIMENT = { workflowId: 'desk', runId: 'r1' };

/** A rollout whose agent has the last word, in an experiment that pauses, grants and refuses as `mail` says. */
function world(mail: () => UnitMail, limited = true) {
  const sent: [string, unknown][] = [];
  const asked: string[][] = [];
  const steps: string[] = [];
  const handle = {
    signal: async (name: string, report: unknown) => void sent.push([name, report]),
    query: async (_name: string, units: string[]) => {
      asked.push(units);
      return mail();
    },
  };
  const activities = {
    beginRollout: async () => [],
    agentTurn: async () => {
      steps.push('agent');
      return { lm_calls: 1, usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: 0, calls: 0, said: true };
    },
    endRollout: async () => ({ status: 'done', score: 1, error: null }),
  };
  const { runUnit } = createRunUnits(activities, { notify: () => undefined, isStopping: () => false });
  const rules = { max_turns: 3, has_user: false, stops_at_goal: false };
  const plan = { run: 'run', experiment: 'desk', human: false, agent: MODELS, user: MODELS };
  const input = (row: string): RunUnitInput => ({
    run: 'run',
    type: 'rollout',
    unit: `desk/${row}/0`,
    args: [
      {
        plan: { ...plan, tool_timeout_sec: 1, agent_model: 'a/b', user_model: null },
        task: { row, n_rollouts: 1, rules },
        rollout: 0,
        control: { paused: false, exhausted: false },
        limited,
      },
    ],
  });
  const run = (row: string, info: object = {}) => {
    const environment = new MockActivityEnvironment({ workflowExecution: EXPERIMENT, ...info });
    const client = { workflow: { getHandle: () => handle } };
    Object.defineProperty(environment.context, 'client', { value: client });
    return environment.run(runUnit, input(row));
  };
  return { run, sent, asked, steps };
}

afterEach(() => {
  vi.useRealTimers();
});

test('a unit asks its experiment for calls, and begins when they are granted', async () => {
  let granted: UnitMail = {};
  const { run, sent, steps } = world(() => granted);
  const running = run('one');
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toEqual([
    'report',
    {
      from: { workflow_id: 'desk/one/0', first: 'r1', run: 'r1' },
      rollout: 'desk/one/0',
      budget: expect.objectContaining({ granted: 0, requested: 6 }),
    },
  ]);
  expect(steps).toEqual([]);
  granted = { 'desk/one/0': { grant: [6] }, 'desk/other/0': { grant: [6] } };
  await running;
  expect(steps[0]).toBe('agent');
});

test('a unit is told that its experiment is over', async () => {
  const { run, steps } = world(() => ({
    'desk/one/0': { control: [{ paused: false, exhausted: true }] },
  }));
  expect(await run('one')).toMatchObject({ status: 'suspended' });
  expect(steps).toEqual([]);
});

test('an experiment is asked once for all of its units here', async () => {
  const { run, asked } = world(() => {
    const mail = { grant: [9] };
    return { 'desk/one/0': mail, 'desk/two/0': mail };
  });
  await Promise.all([run('one'), run('two')]);
  expect(asked.some((units) => units.length === 2)).toBe(true);
});

test('a unit with which two workers were lost is left to a workflow', async () => {
  const { run, steps } = world(() => ({}), false);
  await expect(run('one', { attempt: 3 })).rejects.toMatchObject({ type: 'WorkerCrash' });
  expect(steps).toEqual([]);
});

test('another attempt of a unit begins by what holds now, and not by what it was begun with', async () => {
  const { run, steps } = world(
    () => ({ 'desk/one/0': { control: [{ paused: false, exhausted: true }] } }),
    false,
  );
  expect(await run('one', { attempt: 2 })).toMatchObject({ status: 'suspended' });
  expect(steps).toEqual([]);
});
