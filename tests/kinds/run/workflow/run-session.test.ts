import { AsyncLocalStorage } from 'node:async_hooks';
import { CancelledFailure } from '@temporalio/common';
import type { CancellationScope } from '@temporalio/workflow';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { GeneratedReply } from '../../../../src/contracts/language-model.js';
import type { RunPlan } from '../../../../src/kinds/run/contracts.js';
import { noTotals } from '../../../../src/kinds/run/lane/totals.js';

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

const RULES = {
  num_trials: 1,
  early_stop_on_success: false,
  carry_memory_across_trials: true,
  max_steps_per_episode: 1,
  reset_each_trial: false,
  step_with_reply: true,
};

function sessionOf(planned: Partial<RunPlan> = {}) {
  const plan = {
    experiment: 'mine',
    model: 'openai/fake',
    artifacts: '',
    agent: { type: 'history_agent', history_k: 0, feedback: 'none' },
    memory: { _type: 'history_list', max_length: 1 },
    rules: RULES,
    slots: 3,
    concurrency: 1,
    memory_scope: 'sample',
    load_memory: 'none',
    limits: { max_lm_calls: 1, max_tokens: null, max_cost_usd: null, max_wall_seconds: null },
    search_attributes: [],
    kept: noTotals(),
    ...planned,
  } as unknown as RunPlan;
  const control = new RunControl();
  control.begin(plan);
  return { control, work: () => workOn(plan, control) };
}

const usage = { input_tokens: 1, output_tokens: 1 };
const feedback = { correct: true, target: '4', message: '', extra: {} };
const RIGHT = { text: '4', finish_reason: 'stop', usage, step: { feedback, done: true } } as GeneratedReply;

it('a lane that is answered when its run is cancelled, and waits for leave to call then, hears of it', async () => {
  const { work, control } = sessionOf({
    limits: { max_lm_calls: 2, max_tokens: null, max_cost_usd: null, max_wall_seconds: null },
  });
  const ended = work();
  await vi.waitFor(() => expect(answer).toBeDefined());
  // In one task of the workflow: the answer, and the cancellation after it.
  answer?.(RIGHT);
  workflow.cancel();
  await expect(ended).rejects.toThrow(CancelledFailure);
  expect(control.progress()).toMatchObject({ episodes: 1, spending: { lm_calls: 1 } });
}, 5000);

it('a limit leaves the samples behind it', async () => {
  const { work, control } = sessionOf();
  const ended = work();
  await vi.waitFor(() => expect(answer).toBeDefined());
  answer?.(RIGHT);
  expect(await ended).toBeNull();
  expect(control.outcome(false).status).toBe('limit_reached');
});
