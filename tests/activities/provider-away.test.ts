import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { beforeEach, expect, test } from 'vitest';
import type { AttemptNotes } from '../../src/activities/attempt-journal.js';
import { ModelCalls } from '../../src/activities/model-calls.js';
import { UnreachableNotices } from '../../src/activities/unreachable-notices.js';
import type { UnreachableNotice } from '../../src/contracts/experiment.js';
import { createLanguageModelActivities } from '../../src/kinds/run/activities/language-model.js';
import type { GenerateInput } from '../../src/kinds/run/contracts.js';
import { LanguageModelError } from '../../src/language-models/errors.js';
import { memoryStore } from './executor-support.js';
import { fakeModelRun } from './model-run-support.js';
import { dependencies } from './worker-support.js';

/** How often the provider refuses before it answers. */
let refusals: number;
let asked: string[];
let told: string[];
/** What was sent to workflows. */
let signals: [workflow: string, notice: UnreachableNotice][];
let generate: (input: GenerateInput) => Promise<unknown>;
let client: object;

beforeEach(() => {
  [asked, told, signals] = [[], [], []];
  const { store } = memoryStore();
  client = {
    withAbortSignal: (_signal: AbortSignal, work: () => Promise<unknown>) => work(),
    workflow: {
      getHandle: (id: string) => ({
        describe: async () => ({ rootExecution: { workflowId: id.split('/')[0] } }),
        signal: async (_name: string, notice: UnreachableNotice) => void signals.push([id, notice]),
      }),
    },
  };
  const reply = ({ call }: { call: { sample_id: string } }) => {
    asked.push(call.sample_id);
    if (refusals-- > 0)
      throw new LanguageModelError('overloaded', 'busy', { provider: 'openai', status: 503 });
    return '4';
  };
  const { runs, runLogs } = fakeModelRun({ store, maxAttempts: 2, reply });
  const plain = dependencies({ runLogs, notify: (message) => told.push(message) });
  const given = { ...plain, notices: new UnreachableNotices(plain.logger) };
  generate = createLanguageModelActivities(runs, given, new ModelCalls(given)).generate;
});

/** An attempt of a call’s activity; its notes are what the next one would find. */
function attempt(sample_id: string, more: Partial<GenerateInput> = {}) {
  const input = {
    run: 'run',
    call: { sample_id, trial: 0, purpose: 'act', ordinal: 0 },
    messages: [{ role: 'user', content: `2+2 in ${sample_id}` }],
    ...more,
  } as unknown as GenerateInput;
  const environment = new MockActivityEnvironment(
    { activityId: sample_id, workflowExecution: { workflowId: 'my-run', runId: 'execution' } },
    { logger: new DefaultLogger('ERROR', () => undefined), client: client as never },
  );
  const one = { environment, notes: undefined as AttemptNotes | undefined, ended: null as unknown };
  environment.on('heartbeat', (details) => {
    one.notes = structuredClone(details) as AttemptNotes;
  });
  one.ended = environment.run(generate, input);
  return one as typeof one & { ended: Promise<unknown> };
}

test('refusals of a provider that refuses everything use up no attempts of a call', async () => {
  refusals = 4;
  const [one, other] = [attempt('s0'), attempt('s1')];
  // The first one was refused before anybody could know that all are.
  await expect(one.ended).rejects.toMatchObject({ type: 'overloaded', nonRetryable: false });
  expect(one.notes?.parts.model).toMatchObject({ failures: 1 });
  // Refused with it, after 1 s and after 2 s more: three times, of the two that it may be.
  expect(await other.ended).toMatchObject({ text: '4', unrecorded: { requests: 3 } });
  expect(other.notes?.parts.model).toMatchObject({ failures: 0 });
  expect(asked).toEqual(['s0', 's1', 's1', 's1', 's1']);
  expect(told.filter((line) => !line.startsWith('Asking again'))).toEqual([
    'Waiting for openai/fake, which refuses everything: busy',
    'Waiting for openai/fake, which refuses everything: busy',
    'openai/fake answers again',
  ]);
  expect(signals).toEqual([
    ['my-run', { what: 'openai/fake', message: 'busy' }],
    ['my-run', { what: 'openai/fake', message: null }],
  ]);
});

test('a call that was refused elsewhere before anybody could know is forgiven as well', async () => {
  refusals = 3;
  const before = { failures: 1, crashes: 0, refused_since: Date.now() };
  const calls = [attempt('s0'), attempt('s1', { before })];
  const failures = await Promise.all(calls.map(({ ended }) => ended.catch((error: unknown) => error)));
  // It would be the last one of the two that it may have.
  expect(failures[1]).toMatchObject({ details: [{ unrecorded: { requests: 1 } }, { ...before }] });
});

test('where each request needs leave, one that is refused so ends its activity, and fails no more than it had', async () => {
  refusals = 2;
  const before = { failures: 0, crashes: 0 };
  const calls = [attempt('s0', { before }), attempt('s1', { before })];
  const failures = await Promise.all(calls.map(({ ended }) => ended.catch((error: unknown) => error)));
  expect(failures).toMatchObject([
    { type: 'overloaded', nonRetryable: true, details: [{ unrecorded: { requests: 1 } }, { failures: 1 }] },
    { type: 'overloaded', nonRetryable: true, details: [{ unrecorded: { requests: 1 } }, { failures: 0 }] },
  ]);
  // It waits for its turn with the leave that it has got.
  expect(await attempt('s1', { before }).ended).toMatchObject({ text: '4' });
});

test('a call that is cancelled while it waits was sent nowhere, and counts as no crash', async () => {
  refusals = 100;
  const [one, other] = [attempt('s0'), attempt('s1')];
  await expect(one.ended).rejects.toMatchObject({ type: 'overloaded' });
  other.environment.cancel('CANCELLED');
  await expect(other.ended).rejects.toMatchObject({ name: 'CancelledFailure' });
  expect(other.notes?.parts.model).toMatchObject({ failures: 0, unasked: 1 });
  expect(asked).toEqual(['s0', 's1']);
});
