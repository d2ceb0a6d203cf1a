import { AsyncLocalStorage } from 'node:async_hooks';
import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { GeneratedReply } from '../../src/contracts/activities.js';
import type { ControlState, ShardInput, ShardReport } from '../../src/contracts/run.js';

// As in the sandbox of a workflow; scopes need it when the SDK is loaded.
Object.assign(globalThis, { AsyncLocalStorage });
/** Answers the model's call that is in flight. */
let answer: (reply: GeneratedReply) => void;
vi.mock('../../src/workflows/proxies.js', () => ({
  artifacts: {},
  environments: {
    openSamples: async () =>
      [0, 1, 2].map((index) => ({ index, id: `s${index}`, state: null, obs: 'What?' })),
  },
  languageModel: {
    generate: {
      executeWithOptions: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    },
  },
  modelCallOptions: () => ({}),
}));
const { ShardSession } = await import('../../src/workflows/shard-session.js');

/** The SDK's own place for the workflow that it runs. */
const sdk = globalThis as { __TEMPORAL_ACTIVATOR__?: object };
let cancel: (error: Error) => void;
let reports: ShardReport[] = [];

beforeEach(() => {
  reports = [];
  const cancelRequested = new Promise<never>((_, reject) => {
    cancel = reject;
  });
  cancelRequested.catch(() => undefined);
  sdk.__TEMPORAL_ACTIVATOR__ = {
    rootScope: { cancelRequested },
    info: { startTime: new Date() },
    nextSeqs: { signalWorkflow: 1 },
    interceptors: {
      outbound: [{ signalWorkflow: async ({ args }: { args: [ShardReport] }) => void reports.push(...args) }],
    },
    bindCurrentRandom: (call: unknown) => call,
  };
});
afterEach(() => {
  delete sdk.__TEMPORAL_ACTIVATOR__;
});

function shardWith(
  concurrency: number,
  more: Partial<ControlState> = {},
  planned: Partial<ShardInput['plan']> = {},
): InstanceType<typeof ShardSession> {
  const limits = { max_lm_calls: null, max_tokens: null, max_cost_usd: null, max_wall_seconds: null };
  const plan = {
    agent: { type: 'history_agent' },
    slots: 3,
    shards: 3,
    memory_scope: 'sample',
    load_memory: 'none',
    limits,
    ...planned,
  };
  const control = { paused: false, stopping: false, exhausted: false, concurrency, ...more };
  return new ShardSession({ plan, shard: 0, control } as unknown as ShardInput, 'mine');
}

it('a shard without a share of the lanes ends when its run is cancelled', async () => {
  const session = shardWith(0);
  const ended = session.run();
  cancel(new CancelledFailure('Workflow cancelled'));
  await expect(ended).rejects.toThrow(CancelledFailure);
  expect(session.finished).toBe(false);
  // A history in which it did not is replayed as it was.
});

it('a lane that is answered when its run is cancelled, and waits for leave to call then, hears of it', async () => {
  const rules = {
    num_trials: 1,
    early_stop_on_success: false,
    carry_memory_across_trials: true,
    max_steps_per_episode: 1,
    reset_each_trial: false,
    step_with_reply: true,
  };
  const plan = {
    shards: 1,
    rules,
    agent: { type: 'history_agent', history_k: 0, feedback: 'none' },
    memory: { _type: 'history_list', max_length: 1 },
  } as unknown as Partial<ShardInput['plan']>;
  const session = shardWith(1, { allotted: { lm_calls: 1, tokens: null, nanodollars: null } }, plan);
  const ended = session.run();
  await vi.waitFor(() => expect(answer).toBeDefined());
  // In one task of the workflow: the answer, and the cancellation after it.
  const usage = { input_tokens: 1, output_tokens: 1 };
  const feedback = { correct: true, target: '4', message: '', extra: {} };
  answer({ text: '4', finish_reason: 'stop', usage, step: { feedback, done: true } } as GeneratedReply);
  cancel(new CancelledFailure('Workflow cancelled'));
  await expect(ended).rejects.toThrow(CancelledFailure);
  expect(session.totals).toMatchObject({ episodes: 1, lm_calls: 1 });
}, 5000);

const allotted = (lm_calls: number) => ({ lm_calls, tokens: null, nanodollars: null });

it('a shard keeps to the newest of what it is asked', () => {
  const session = shardWith(0, { version: 2, allotted: allotted(3) });
  const asked = { paused: false, stopping: false, exhausted: false };
  session.control({ ...asked, version: 4, paused: true, concurrency: 0, allotted: allotted(9) });
  session.control({ ...asked, version: 3, concurrency: 2, allotted: allotted(5) });
  session.control({ ...asked, version: 4, concurrency: 2, allotted: allotted(5) });
  expect(session.carriedInput()).toMatchObject({
    control: { version: 4, paused: true },
    carried: { budget: { allotted: allotted(9) } },
  });
});

it('a shard says how it stands when it is asked', async () => {
  const session = shardWith(1, { version: 1, allotted: allotted(3) });
  const asked = { paused: false, stopping: false, exhausted: false, concurrency: 1 };
  session.control({ ...asked, version: 2, allotted: allotted(4), asks: true });
  await Promise.resolve();
  expect(reports).toMatchObject([{ shard: 0, version: 1, claim: { heard: 4, returned: allotted(0) } }]);
  expect(session.carried().reports).toBe(1);
});

it('a shard without a share hands over what it has left when its run goes on in another execution', async () => {
  const session = shardWith(0);
  const ended = session.run();
  const asked = { paused: false, stopping: false, exhausted: false, concurrency: 0 };
  session.control({ ...asked, version: 1, hands_over: true });
  await ended;
  expect(session.carriesOn() && session.handsOver()).toBe(true);
  expect(session.carried()).toMatchObject({ next: 0, lanes: [] });
});
