import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test, vi } from 'vitest';
import type { UnitMail } from '../../src/contracts/run-units.js';
import type { JudgeStepInput } from '../../src/kinds/judge/contracts.js';
import { createRunUnits } from '../../src/workers/run-units.js';
import type { BundleOrders, BundleResult } from '../../src/workflows/unit-bundles.js';

const BUNDLE = 'case/judge-steps-1';
const ORDERS: BundleOrders = { paused: false, over: false, refused: false, handsOver: false, share: 2 };
const COST = { lm_calls: 1, usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: 0 };
const VERDICT = { kind: 'judged', scores: { clear: 4 }, ...COST };

/** A bundle of the steps of one trajectory, in an experiment that says what `mail` holds. */
function world(judgeStep: (input: JudgeStepInput) => Promise<object>, steps = 6) {
  const reports: Record<string, unknown>[] = [];
  let mail: UnitMail = {};
  let isStopping = false;
  const recorded: number[] = [];
  const handle = {
    signal: async (_name: string, report: Record<string, unknown>) => void reports.push(report),
    query: async () => mail,
  };
  const activities = {
    judgeStep,
    recordJudgeError: async ({ step }: JudgeStepInput) => void recorded.push(step),
  };
  const { runUnit } = createRunUnits(activities, {
    notify: () => undefined,
    isStopping: () => isStopping,
  });
  const run = (more: { limits?: object; stored?: number; orders?: object; attempt?: number } = {}) => {
    const { limits = {}, stored = 0, orders = {}, attempt = 1 } = more;
    const none = { max_lm_calls: null, max_tokens: null, max_cost_usd: null, max_wall_seconds: null };
    const plan = {
      run: 'run',
      steps: [steps],
      limits: { ...none, ...limits },
      timeout_sec: 1,
      max_attempts: 1,
    };
    const units = Array.from({ length: steps }, (_, step) => step);
    const environment = new MockActivityEnvironment({
      workflowExecution: { workflowId: 'case', runId: 'r1' },
      attempt,
    });
    const client = { workflow: { getHandle: () => handle } };
    Object.defineProperty(environment.context, 'client', { value: client });
    const result: Promise<unknown> = environment.run(runUnit, {
      run: 'run',
      type: 'judge-steps',
      unit: BUNDLE,
      args: [{ plan, units, stored, orders: { ...ORDERS, ...orders } }],
    });
    return result as Promise<BundleResult<Record<string, unknown>>>;
  };
  return {
    run,
    reports,
    recorded,
    says: (signals: UnitMail[string]) => {
      mail = { [BUNDLE]: signals };
    },
    stops: () => {
      isStopping = true;
    },
  };
}

/** Calls that are answered when they are told to be. */
function held() {
  const calls: { input: JudgeStepInput; answer: (reply?: object) => void }[] = [];
  const judgeStep = (input: JudgeStepInput) =>
    new Promise<object>((resolve) => void calls.push({ input, answer: (reply = VERDICT) => resolve(reply) }));
  return { calls, judgeStep };
}

test('a bundle works on as many units at once as it is told to, and on all of them', async () => {
  const { calls, judgeStep } = held();
  const { run, says, reports } = world(judgeStep);
  const running = run();
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  await vi.waitFor(
    () => expect(reports[0]).toMatchObject({ running: 2, oldest: [0, expect.any(Number)] }),
    3000,
  );
  says({ control: [{ ...ORDERS, share: 4 }] });
  await vi.waitFor(() => expect(calls).toHaveLength(4), 3000);
  for (let next = 0; next < 6; next += 1) {
    await vi.waitFor(() => expect(calls.length).toBeGreaterThan(next));
    calls[next]?.answer();
  }
  expect(await running).toMatchObject({
    left: [],
    fatal: null,
    totals: { judged: 6, lm_calls: 6, scores: { clear: 24 } },
  });
});

test('a bundle of a worker that stops hands back what it has not begun', async () => {
  const { calls, judgeStep } = held();
  const { run, stops } = world(judgeStep);
  const running = run();
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  stops();
  await new Promise((resolve) => setTimeout(resolve, 1200));
  for (const { answer } of calls) answer();
  expect(await running).toMatchObject({ left: [2, 3, 4, 5], totals: { judged: 2 } });
  expect(calls).toHaveLength(2);
});

test('a bundle waits for its grants, and looks for stored replies where there are no more', async () => {
  const asked: JudgeStepInput[] = [];
  const { run, says, reports } = world(async (input) => {
    asked.push(input);
    return input.stored_only ? { ...VERDICT, counted: COST } : VERDICT;
  });
  const running = run({ limits: { max_lm_calls: 9 }, stored: 2 });
  await vi.waitFor(() => expect(reports.length).toBeGreaterThan(0));
  expect(reports[0]).toMatchObject({ bundle: BUNDLE, budget: { granted: 0, requested: 1 } });
  expect(asked).toHaveLength(0);
  says({ grant: [3], control: [{ ...ORDERS, refused: true }] });
  const { left, totals, found } = await running;
  expect(asked.filter(({ stored_only }) => stored_only)).toHaveLength(2);
  expect({ asked: asked.length, found, totals }).toMatchObject({
    asked: 5,
    found: 2,
    totals: { judged: 5, lm_calls: 3 },
  });
  expect(left).toEqual([5]);
});

test('another attempt begins by the orders that hold now', async () => {
  const { calls, judgeStep } = held();
  const { run, says } = world(judgeStep);
  says({ control: [{ ...ORDERS, paused: true }] });
  const running = run({ attempt: 2 });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(calls).toHaveLength(0);
  says({ control: [{ ...ORDERS, over: true }] });
  expect(await running).toMatchObject({ left: [0, 1, 2, 3, 4, 5] });
});

test('after a lost worker, only the calls that may have been in flight are booked as cut off', async () => {
  const asked: JudgeStepInput[] = [];
  const unrecorded = { requests: 1, usage: COST.usage, cost_usd: 0 };
  const { run, says } = world(async (input) => {
    asked.push(input);
    // The first step was answered and stored before.
    if (input.step === 0) return VERDICT;
    return (input.before?.unbooked ?? 0) > 0 ? { ...VERDICT, unrecorded } : VERDICT;
  });
  says({ control: [ORDERS] });
  expect(await run({ attempt: 2 })).toMatchObject({
    left: [],
    totals: { judged: 6, unrecorded: { requests: 2 } },
  });
  expect(asked.map(({ before }) => before?.unbooked ?? 0)).toEqual([1, 1, 1, 0, 0, 0]);
});

test('a unit that fails is an error, and the others go on', async () => {
  const { run, recorded } = world(async ({ step }) => {
    if (step === 1) throw ApplicationFailure.nonRetryable('no such thing', 'bad_request');
    return VERDICT;
  }, 3);
  expect(await run()).toMatchObject({
    left: [],
    totals: { judged: 2, errors: 1, errors_by_type: { bad_request: 1 } },
  });
  expect(recorded).toEqual([1]);
});
