import { AsyncLocalStorage } from 'node:async_hooks';
import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RolloutInput } from '../../../../src/kinds/agent-eval/contracts.js';

// As in the sandbox of a workflow; conditions need it when the SDK is loaded.
Object.assign(globalThis, { AsyncLocalStorage });
const { RootCancellationScope } = await import('@temporalio/workflow/lib/cancellation-scope.js');
const { RolloutSession } = await import('../../../../src/kinds/agent-eval/workflow/rollout-session.js');

interface Blocked {
  fn: () => boolean;
  resolve: () => void;
}

/** The SDK's own place for the workflow that it runs; activities are answered as an interceptor may. */
const sdk = globalThis as { __TEMPORAL_ACTIVATOR__?: object };
const blocked = new Map<number, Blocked>();
let done: string[] = [];
let told: unknown[] = [];
let asked: unknown[] = [];
/** Of the activities to come; undefined: it is answered. */
let failures: (ActivityFailure | undefined)[] = [];

const ANSWERS: Record<string, object> = {
  beginRollout: { version: 0, database: 'base.db' },
  agentTurn: { tool_calls: 0, lm_calls: 1, usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: 0 },
  userTurn: { kind: 'stopped', lm_calls: 0, usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: 0 },
  endRollout: { status: 'done', score: 1, error: null },
};

beforeEach(() => {
  done = [];
  told = [];
  asked = [];
  failures = [];
  blocked.clear();
  const scheduleActivity = async ({ activityType, args }: { activityType: string; args: unknown[] }) => {
    done.push(activityType);
    asked.push(args[0]);
    const failure = failures.shift();
    if (activityType === 'agentTurn' && failure !== undefined) throw failure;
    return ANSWERS[activityType];
  };
  const signalWorkflow = async ({ args }: { args: unknown[] }) => told.push(args[0]);
  // Pauses are over at once, and nobody waits for minutes.
  const startTimer = ({ durationMs }: { durationMs: number }) =>
    durationMs < 1000 ? Promise.resolve() : new Promise(() => undefined);
  sdk.__TEMPORAL_ACTIVATOR__ = {
    nextSeqs: { activity: 1, condition: 1, signalWorkflow: 1, timer: 1 },
    rootScope: new RootCancellationScope(),
    hasFlag: () => true,
    blockedConditions: blocked,
    info: { continueAsNewSuggested: false, workflowId: 'desk/a/0', parent: { workflowId: 'desk' } },
    bindCurrentRandom: (next: unknown) => next,
    interceptors: { outbound: [{ scheduleActivity, signalWorkflow, startTimer }] },
  };
});
afterEach(() => {
  delete sdk.__TEMPORAL_ACTIVATOR__;
});

/** What a workflow's task does: lets it run as far as it comes. */
async function task(): Promise<void> {
  await new Promise(setImmediate);
  for (const [seq, { fn, resolve }] of blocked) {
    if (!fn()) continue;
    blocked.delete(seq);
    resolve();
  }
  await new Promise(setImmediate);
}

function withPerson(limited = false) {
  const lm = { timeout_sec: 5, max_attempts: 1 };
  return new RolloutSession({
    plan: { run: 'run', human: true, agent: lm, user: lm, tool_timeout_sec: 5 },
    task: { row: 'a', rules: { max_turns: 5, has_user: true, user_begins: false, stops_at_goal: false } },
    rollout: 0,
    control: { paused: false, exhausted: false },
    limited,
  } as unknown as RolloutInput);
}

it('waits for the person in the user’s place', async () => {
  const session = withPerson();
  const ended = session.run();
  await task();
  expect(session.progress()).toMatchObject({ waiting: true, totals: { lm_calls: 1 } });
  session.reply('That is all.');
  await task();
  expect(await ended).toMatchObject({ status: 'done', ending: 'user_stop', score: 1 });
});

it('stands still where the run meets a limit while a person is waited for', async () => {
  const session = withPerson();
  const ended = session.run();
  await task();
  session.setControl({ paused: false, exhausted: true });
  await task();
  expect(session.progress().waiting).toBe(false);
  expect(await ended).toMatchObject({ status: 'suspended', fatal: null, totals: { lm_calls: 1 } });
  expect(done).toEqual(['beginRollout', 'agentTurn']);
});

it('has the grant left of a reply that an earlier execution has paid for', async () => {
  const turn = ANSWERS.agentTurn as object;
  ANSWERS.agentTurn = { ...turn, counted: turn };
  const session = withPerson(true);
  void session.run();
  await task();
  session.onGranted(2);
  await task();
  ANSWERS.agentTurn = turn;
  expect(told.slice(1)).toMatchObject([
    { budget: { spent: { lm_calls: 0 }, granted: 2, returned: 2, requested: 0 } },
  ]);
});

it('tells what its calls have cost before it waits for a person', async () => {
  const session = withPerson(true);
  void session.run();
  await task();
  expect(told).toMatchObject([{ rollout: 'desk/a/0', budget: { spent: { lm_calls: 0 }, requested: 6 } }]);
  session.onGranted(2);
  await task();
  expect(session.progress().waiting).toBe(true);
  expect(told.slice(1)).toMatchObject([
    { budget: { spent: { lm_calls: 1, tokens: 2 }, granted: 2, returned: 1, requested: 0 } },
  ]);
});

/** What an activity ends with whose one request had no reply; null: it was never sent. */
function unanswered(requests: number): ActivityFailure {
  const usage = { input_tokens: 0, output_tokens: 0 };
  const unrecorded = requests === 0 ? {} : { unrecorded: { requests, usage, cost_usd: 0 } };
  const again = { failures: 1, crashes: requests - 1, pause_ms: 1 };
  const details = [{ lm_calls: 0, usage, cost_usd: 0, ...unrecorded }, again];
  const failure = ApplicationFailure.create({ type: 'malformed_reply', nonRetryable: true, details });
  return new ActivityFailure('failed', 'agentTurn', '1', RetryState.NON_RETRYABLE_FAILURE, '', failure);
}

it.each([
  ['that had no reply', 1, 1],
  ['that was never sent', 0, 2],
  ['that a crash has sent twice', 2, 0],
])('a request %s uses up as many calls as were sent', async (_, requests, left) => {
  failures = [undefined, unanswered(requests)];
  const session = withPerson(true);
  void session.run();
  await task();
  session.onGranted(2);
  await task();
  await task();
  if (left === 0) session.onGranted(3);
  await task();
  await task();
  expect(done.filter((what) => what === 'agentTurn')).toHaveLength(2);
  expect(asked.at(-1)).toMatchObject({ before: { failures: 1, crashes: requests - 1 } });
  expect(session.carriedInput().carried?.budget).toMatchObject({ begun: 1 + requests });
});

it('counts the tool calls that are refused, and hands over between the others', async () => {
  const replies = { tool_calls: 3, tool_calls_refused: 2, lm_calls: 1, usage: {}, cost_usd: 0 };
  const kept = { ...ANSWERS };
  Object.assign(ANSWERS, {
    agentTurn: replies,
    toolCall: { at: { version: 1, database: '1.db' }, ok: true, goal: null },
  });
  try {
    const session = withPerson();
    const ended = session.run();
    const { info } = sdk.__TEMPORAL_ACTIVATOR__ as { info: { continueAsNewSuggested: boolean } };
    while (!done.includes('toolCall')) await Promise.resolve();
    info.continueAsNewSuggested = true;
    await task();
    expect(await ended).toBeNull();
    expect(done).toEqual(['beginRollout', 'agentTurn', 'toolCall']);
    const { place, totals } = session.carriedInput().carried ?? {};
    expect(place?.open).toEqual({ calls: 3, made: 1, goal: false });
    expect(totals).toMatchObject({ agent_turns: 1, tool_calls: 3, tool_calls_failed: 2 });
  } finally {
    for (const name of Object.keys(ANSWERS)) delete ANSWERS[name];
    Object.assign(ANSWERS, kept);
  }
});
