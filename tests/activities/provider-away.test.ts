import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { beforeEach, expect, test } from 'vitest';
import type { AttemptNotes } from '../../src/activities/attempt-journal.js';
import { ModelCalls } from '../../src/activities/model-calls.js';
import { UnreachableNotices } from '../../src/activities/unreachable-notices.js';
import type { UnreachableNotice } from '../../src/contracts/experiment.js';
import type { CallIdentity } from '../../src/contracts/language-model.js';
import { createLanguageModelActivities } from '../../src/kinds/run/activities/language-model.js';
import type { GenerateInput } from '../../src/kinds/run/contracts.js';
import { LanguageModelError } from '../../src/language-models/errors.js';
import { memoryStore } from './executor-support.js';
import { fakeModelRun } from './model-run-support.js';
import { dependencies } from './worker-support.js';

/** How often the provider refuses before it answers. */
let refusals: number;
/** What it answers to a request, in place of both. */
let answers: ((call: CallIdentity) => string) | null;
let asked: string[];
let told: string[];
/** What was sent to workflows. */
let signals: [workflow: string, notice: UnreachableNotice][];
let generate: (input: GenerateInput) => Promise<unknown>;
let client: object;

beforeEach(() => {
  [asked, told, signals, answers] = [[], [], [], null];
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
    if (answers !== null) return answers(call as CallIdentity);
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

test('what a gateway gives up on costs nothing while the provider refuses everything', async () => {
  let given = 0;
  answers = () => {
    given += 1;
    if (given > 3) return '4';
    throw new LanguageModelError('server', 'gone', { provider: 'openai', status: given === 3 ? 524 : 504 });
  };
  const before = { failures: 0, crashes: 0 };
  const calls = [attempt('s0', { before }), attempt('s1', { before })];
  const failures = await Promise.all(calls.map(({ ended }) => ended.catch((error: unknown) => error)));
  // Of the first nobody knows what the model has done.
  expect(failures).toMatchObject([
    { details: [{ unrecorded: { requests: 1, cost_usd: 1 } }, { failures: 1 }] },
    { details: [{ unrecorded: { requests: 1, cost_usd: 0 } }, { failures: 0 }] },
  ]);
  const third = await attempt('s1', { before }).ended.catch((error: unknown) => error);
  expect(third).toMatchObject({ details: [{ unrecorded: { requests: 1, cost_usd: 0 } }, { failures: 1 }] });
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

const refusedBy = (kind: 'forbidden' | 'authentication' | 'context_full', status: number) => {
  throw new LanguageModelError(kind, `refused (HTTP ${status})`, { provider: 'openai', status });
};

test('a prompt that a firewall refuses is an error of its own where the model answers others', async () => {
  answers = ({ sample_id }) => (sample_id === 'script' ? refusedBy('forbidden', 403) : '4');
  const first = attempt('script').ended;
  await expect(first, 'nobody has been answered yet').rejects.toMatchObject({ type: 'FatalProvider' });
  expect(await attempt('s0').ended).toMatchObject({ text: '4' });
  const again = attempt('script').ended;
  await expect(again).rejects.toMatchObject({ type: 'server', nonRetryable: false });
  const before = { failures: 2, crashes: 0 };
  const last = attempt('script', { before }).ended;
  await expect(last).rejects.toMatchObject({ type: 'bad_request', nonRetryable: true });
  expect(await attempt('s1').ended).toMatchObject({ text: '4' });
});

test('a key that is refused once is tried again, and one that is refused for good ends the run', async () => {
  answers = ({ sample_id }) => (sample_id.startsWith('bad') ? refusedBy('authentication', 401) : '4');
  await attempt('s0').ended;
  const ended: unknown[] = [];
  for (const name of ['bad 0', 'bad 1', 'bad 0', 'bad 1', 'bad 0']) {
    ended.push(await attempt(name).ended.catch((error: { type: string }) => error.type));
  }
  expect(ended).toEqual(['server', 'server', 'server', 'server', 'FatalProvider']);
});

test('a model whose own turns have filled its context is judged by what it has done', async () => {
  answers = ({ ordinal }) => (ordinal === 0 ? '4' : refusedBy('context_full', 400));
  const call = (ordinal: number, more: object = {}) =>
    ({ sample_id: 's0', trial: 0, purpose: 'act', ordinal, ...more }) as CallIdentity;
  await attempt('s0').ended;
  const full = await attempt('s0', { call: call(1) }).ended;
  expect(full).toMatchObject({ text: '', finish_reason: 'length', usage: { input_tokens: 0 }, cost_usd: 0 });
  expect(await attempt('s0', { call: call(1) }).ended, 'it is stored').toMatchObject({ found: true });
  // In a kind of one's own a later call may be another conversation.
  const own = { messages: [{ role: 'user' as const, content: 'long' }] };
  const anew = attempt('s0', { call: call(1, { purpose: 'generate', role: 'author' }), ...own }).ended;
  await expect(anew).rejects.toMatchObject({ type: 'context_full' });
  const said = {
    messages: [...own.messages, { role: 'assistant' as const, content: 'and?' }, ...own.messages],
  };
  const grown = attempt('s0', { call: call(1, { purpose: 'generate', role: 'author' }), ...said }).ended;
  expect(await grown).toMatchObject({ text: '', finish_reason: 'length' });
  const reflection = attempt('s0', { call: call(1, { purpose: 'reflect' }) }).ended;
  await expect(reflection).rejects.toMatchObject({ type: 'context_full' });
});

test('a first prompt that is too long for the context is an error', async () => {
  answers = () => refusedBy('context_full', 400);
  await expect(attempt('s0').ended).rejects.toMatchObject({ type: 'context_full', nonRetryable: true });
});
