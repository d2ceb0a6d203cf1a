import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { beforeEach, expect, test, vi } from 'vitest';
import { CallStore } from '../../src/activities/call-store.js';
import { ModelCalls } from '../../src/activities/model-calls.js';
import { ComparisonUnavailableError } from '../../src/grading/grade.js';
import { createLanguageModelActivities } from '../../src/kinds/run/activities/language-model.js';
import type { GenerateInput } from '../../src/kinds/run/contracts.js';
import { LanguageModelError } from '../../src/language-models/errors.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { StorageError } from '../../src/storage/storage-error.js';
import { memoryStore } from './executor-support.js';
import { fakeModelRun } from './model-run-support.js';
import { dependencies } from './worker-support.js';

const ANSWER = { done: true, reward: 1, feedback: { correct: true, target: '4', message: '' } };

let store: ArtifactStore;
let generate: (input: GenerateInput) => Promise<unknown>;
/** Whether it may only be read. */
let isReadOnly: boolean;
/** Whether the model never answers. */
let hangs: boolean;
/** What the worker meets next, each once. */
let troubles: { store?: Error; model?: Error; grader?: Error };
let answer: string;
let asked: number;
let steps: number;
/** How the attempts of a call so far were left. */
let attempts: number;
let heartbeat: unknown;

function throwOnce(name: keyof typeof troubles): void {
  const error = troubles[name];
  delete troubles[name];
  if (error !== undefined) throw error;
}

beforeEach(() => {
  store = memoryStore().store;
  answer = '4';
  [troubles, asked, steps, attempts, heartbeat] = [{}, 0, 0, 0, undefined];
  [isReadOnly, hangs] = [false, false];
  const readText: ArtifactStore['readText'] = async (key) => {
    throwOnce('store');
    return store.readText(key);
  };
  const write: ArtifactStore['write'] = async (...words) => {
    if (isReadOnly) throw readOnly();
    return store.write(...words);
  };
  const sometimesAway: ArtifactStore = Object.assign(Object.create(store), { readText, write });
  const reply = () => {
    asked += 1;
    throwOnce('model');
    return hangs ? new Promise<string>(() => undefined) : answer;
  };
  const step = async () => {
    steps += 1;
    throwOnce('grader');
    return ANSWER;
  };
  const { runs, runLogs } = fakeModelRun(
    { store: sometimesAway, maxAttempts: 8, reply },
    { taskOf: async () => ({}), playable: () => ({ step }) },
  );
  const given = dependencies({ runLogs });
  generate = createLanguageModelActivities(runs, given, new ModelCalls(given)).generate;
});

const INPUT = {
  run: 'run',
  call: { sample_id: 's0', trial: 0, purpose: 'act', ordinal: 0 },
  messages: [{ role: 'user', content: '2+2' }],
  step: { index: 0, state: null },
} as unknown as GenerateInput;

/** The next attempt of the activity, as the server has it made. */
async function attempt(): Promise<unknown> {
  return begin().ended;
}

function begin(): { environment: MockActivityEnvironment; ended: Promise<unknown> } {
  attempts += 1;
  const environment = new MockActivityEnvironment(
    { attempt: attempts, heartbeatDetails: heartbeat },
    { logger: new DefaultLogger('ERROR', () => undefined) },
  );
  environment.on('heartbeat', (details) => {
    heartbeat = structuredClone(details);
  });
  return { environment, ended: environment.run(generate, INPUT) };
}

function unreachable(): StorageError {
  return new StorageError({
    message: 'away',
    uri: 'memory',
    key: null,
    code: 'unreachable',
    retryable: true,
  });
}

function readOnly(): StorageError {
  const details = { uri: 'memory', key: null, code: 'EROFS', retryable: false, mendable: true };
  return new StorageError({ message: 'mounted read-only', ...details });
}

async function recorded(): Promise<unknown> {
  return (await new CallStore(store).at(INPUT.call))?.record;
}

test('a reply whose grader fails at once is kept: the next attempt grades it and pays nothing', async () => {
  troubles.grader = new ComparisonUnavailableError('no thread');
  await expect(attempt()).rejects.toThrow(ComparisonUnavailableError);
  expect(await attempt()).toMatchObject({ text: '4', step: ANSWER });
  expect({ asked, steps }).toEqual({ asked: 1, steps: 2 });
});

test('a store that is unreachable before the model is asked makes no call a repeated one', async () => {
  troubles.store = unreachable();
  await expect(attempt()).rejects.toThrow(StorageError);
  troubles.model = new LanguageModelError('rate_limited', 'later', { provider: 'openai' });
  await expect(attempt()).rejects.toThrow('later');
  troubles.store = unreachable();
  await expect(attempt()).rejects.toThrow(StorageError);
  await attempt();
  expect(await recorded()).toMatchObject({ attempts: 2, repeated: 0 });
  expect(asked).toBe(2);
});

test('an attempt of which nothing was heard again may have been paid: its call may have been repeated', async () => {
  troubles.store = unreachable();
  await expect(attempt()).rejects.toThrow(StorageError);
  attempts += 1;
  const reply = await attempt();
  expect(reply).toMatchObject({ maybe_repeated: 1 });
  expect(reply).not.toHaveProperty('repeated');
  expect(await recorded()).toMatchObject({ attempts: 2, repeated: 0, maybe_repeated: 1 });
});

test('an attempt that was heard while its request was in progress has been paid: its call is a repeated one', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  hangs = true;
  begin();
  await vi.waitFor(() => expect(asked).toBe(1));
  vi.advanceTimersByTime(3000);
  vi.useRealTimers();
  hangs = false;
  // Nothing is known of one that was begun in between, nor does it take anything back.
  attempts += 1;
  expect(await attempt()).toMatchObject({ repeated: 1, maybe_repeated: 1 });
  expect(await recorded()).toMatchObject({ attempts: 3, repeated: 1, maybe_repeated: 1 });
});

test('a request that failed is none that was cut off', async () => {
  troubles.model = new LanguageModelError('rate_limited', 'later', { provider: 'openai' });
  await expect(attempt()).rejects.toThrow('later');
  attempts += 1;
  expect(await attempt()).toMatchObject({ maybe_repeated: 1 });
  expect(await recorded()).toMatchObject({ attempts: 3, repeated: 0, maybe_repeated: 1 });
});

test('a reply that is there after two attempts of which nothing was heard again: only one of them has brought it', async () => {
  await attempt();
  attempts += 1;
  expect(await attempt()).toMatchObject({ maybe_repeated: 1 });
  expect(await recorded()).toMatchObject({ attempts: 2, repeated: 0, maybe_repeated: 1 });
  expect(asked).toBe(1);
});

test('a reply that an attempt has stored and not reported was asked for once', async () => {
  await attempt();
  const reply = await attempt();
  for (const figure of ['repeated', 'maybe_repeated']) expect(reply).not.toHaveProperty(figure);
  expect(await recorded()).toMatchObject({ attempts: 1, repeated: 0 });
});

test('a reply is held while the store may only be read, and stored once it may be written', async () => {
  isReadOnly = true;
  const { ended } = begin();
  await vi.waitFor(() => expect(heartbeat).toHaveProperty('parts.model.held'));
  isReadOnly = false;
  expect(await ended).toMatchObject({ text: '4', step: ANSWER });
  expect(await recorded()).toMatchObject({ text: '4', messages: INPUT.messages, attempts: 1, repeated: 0 });
});

test('a reply that was held when its worker died is stored by the next one, which asks for nothing', async () => {
  isReadOnly = true;
  const first = begin();
  await vi.waitFor(() => expect(heartbeat).toHaveProperty('parts.model.held'));
  const left = heartbeat;
  first.environment.cancel('WORKER_SHUTDOWN');
  await expect(first.ended).rejects.toThrow('mounted read-only');
  // Nothing more was heard of it, nor of one that was begun in between.
  [heartbeat, isReadOnly] = [left, false];
  attempts += 1;
  expect(await attempt()).toMatchObject({ text: '4', step: ANSWER });
  expect(asked).toBe(1);
  expect(await recorded()).toMatchObject({ text: '4', messages: INPUT.messages, attempts: 1, repeated: 0 });
});

test('a reply that is too long for the server lives in its worker only', async () => {
  answer = '4'.repeat(40_000);
  isReadOnly = true;
  const { environment, ended } = begin();
  await sleep(100);
  environment.cancel('WORKER_SHUTDOWN');
  await expect(ended).rejects.toThrow('mounted read-only');
  expect(heartbeat ?? {}).not.toHaveProperty('parts.model.held');
});
