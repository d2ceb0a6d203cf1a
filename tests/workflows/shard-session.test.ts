import { AsyncLocalStorage } from 'node:async_hooks';
import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ControlState, ShardInput, ShardReport } from '../../src/contracts/run.js';

// As in the sandbox of a workflow; scopes need it when the SDK is loaded.
Object.assign(globalThis, { AsyncLocalStorage });
const { ShardSession } = await import('../../src/workflows/shard-session.js');

/** The SDK's own place for the workflow that it runs. */
const sdk = globalThis as { __TEMPORAL_ACTIVATOR__?: object };
let cancel: (error: Error) => void;
let patches: string[] = [];
let reports: ShardReport[] = [];

beforeEach(() => {
  patches = [];
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
    patchInternal: (id: string) => patches.push(id) > 0,
  };
});
afterEach(() => {
  delete sdk.__TEMPORAL_ACTIVATOR__;
});

function shardWith(concurrency: number, more: Partial<ControlState> = {}): InstanceType<typeof ShardSession> {
  const limits = { max_lm_calls: null, max_tokens: null, max_cost_usd: null, max_wall_seconds: null };
  const plan = {
    slots: 3,
    shards: 3,
    memory_scope: 'sample',
    load_memory: 'none',
    model_queue: null,
    limits,
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
  expect(patches).toEqual(['cancelled-while-it-waits']);
});

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
