import { AsyncLocalStorage } from 'node:async_hooks';
import { CancelledFailure } from '@temporalio/common';
import type { CancellationScope } from '@temporalio/workflow';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { GeneratedReply } from '../../../../src/contracts/language-model.js';
import { RIGHT, samplePlan } from '../../../support/sample-plan.js';

// As in the sandbox of a workflow; scopes need it when the SDK is loaded.
Object.assign(globalThis, { AsyncLocalStorage });
/** Answers the model's call that is in flight. */
let answer: ((reply: GeneratedReply) => void) | undefined;
vi.mock('../../../../src/kinds/run/workflow/activities.js', () => ({
  artifacts: { writePart: async () => undefined },
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
}));
const { RootCancellationScope } = await import('@temporalio/workflow/lib/cancellation-scope.js');
const { RunControl } = await import('../../../../src/kinds/run/workflow/run-control.js');
const { workOn } = await import('../../../../src/kinds/run/workflow/run.js');

/** The SDK's own place for the workflow that it runs. */
const sdk = globalThis as { __TEMPORAL_ACTIVATOR__?: object };
/** The whole workflow; it is cancelled with it. */
let workflow: CancellationScope;

beforeEach(() => {
  answer = undefined;
  workflow = new RootCancellationScope();
  sdk.__TEMPORAL_ACTIVATOR__ = {
    rootScope: workflow,
    hasFlag: () => true,
    info: { startTime: new Date(), runId: 'execution' },
    bindCurrentRandom: (call: unknown) => call,
  };
});
afterEach(() => {
  delete sdk.__TEMPORAL_ACTIVATOR__;
});

function sessionOf(max_lm_calls: number) {
  const plan = samplePlan({ slots: 3, concurrency: 1, max_lm_calls });
  const control = new RunControl();
  control.begin(plan);
  return { control, work: () => workOn(plan, control) };
}

it('a lane that is answered when its run is cancelled, and waits for leave to call then, hears of it', async () => {
  const { work, control } = sessionOf(2);
  const ended = work();
  await vi.waitFor(() => expect(answer).toBeDefined());
  // In one task of the workflow: the answer, and the cancellation after it.
  answer?.(RIGHT);
  workflow.cancel();
  await expect(ended).rejects.toThrow(CancelledFailure);
  expect(control.progress()).toMatchObject({ episodes: 1, spending: { lm_calls: 1 } });
}, 5000);

it('a limit leaves the samples behind it', async () => {
  const { work, control } = sessionOf(1);
  const ended = work();
  await vi.waitFor(() => expect(answer).toBeDefined());
  answer?.(RIGHT);
  expect(await ended).toBeNull();
  expect(control.outcome(false).status).toBe('limit_reached');
});
