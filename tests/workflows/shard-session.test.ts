import { AsyncLocalStorage } from 'node:async_hooks';
import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ShardInput } from '../../src/contracts/run.js';

// As in the sandbox of a workflow; scopes need it when the SDK is loaded.
Object.assign(globalThis, { AsyncLocalStorage });
const { ShardSession } = await import('../../src/workflows/shard-session.js');

/** The SDK's own place for the workflow that it runs. */
const sdk = globalThis as { __TEMPORAL_ACTIVATOR__?: object };
let cancel: (error: Error) => void;
let patches: string[] = [];

beforeEach(() => {
  patches = [];
  const cancelRequested = new Promise<never>((_, reject) => {
    cancel = reject;
  });
  cancelRequested.catch(() => undefined);
  sdk.__TEMPORAL_ACTIVATOR__ = {
    rootScope: { cancelRequested },
    info: { startTime: new Date() },
    nextSeqs: { signalWorkflow: 1 },
    interceptors: { outbound: [{ signalWorkflow: async () => undefined }] },
    patchInternal: (id: string) => patches.push(id) > 0,
  };
});
afterEach(() => {
  delete sdk.__TEMPORAL_ACTIVATOR__;
});

function shardWith(concurrency: number): InstanceType<typeof ShardSession> {
  const limits = { max_lm_calls: null, max_tokens: null, max_cost_usd: null, max_wall_seconds: null };
  const plan = {
    slots: 3,
    shards: 3,
    memory_scope: 'sample',
    load_memory: 'none',
    model_queue: null,
    limits,
  };
  const control = { paused: false, stopping: false, exhausted: false, concurrency };
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
