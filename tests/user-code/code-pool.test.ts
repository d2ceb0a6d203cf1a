import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { InvalidInputError } from '../../src/config/errors.js';
import { InfrastructureError } from '../../src/contracts/infrastructure-error.js';
import { ComparisonUnavailableError, GradingLimitError } from '../../src/grading/grade.js';
import { CodeEndedError, CodePool, type CodePoolOptions } from '../../src/user-code/code-pool.js';
import { packError, unpackError } from '../../src/user-code/packed-error.js';

/** Whatever is named: the thread takes words in its place. */
const WORK = { module: '', name: '' };
const OBEDIENT = new URL('./obedient-thread.mjs', import.meta.url);

/** Asks threads that obey. */
function obeyed(options: CodePoolOptions = {}) {
  const pool = new CodePool({ thread: OBEDIENT, grace: 50, ...options });
  onTestFinished(() => pool.close());
  const ask = (words: string, limits: { timeoutMs?: number; signal?: AbortSignal; alone?: boolean } = {}) =>
    pool.run(WORK, words, { timeoutMs: 10_000, ...limits }) as Promise<unknown>;
  return { pool, ask };
}

const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

test('code that waits leaves its thread to others', async () => {
  const { ask } = obeyed();
  const enough = new AbortController();
  const waiting = Array.from({ length: 5 }, () => failureOf(ask('listen', { signal: enough.signal })));
  expect(await ask('book')).toBe('book');
  enough.abort(new Error('enough'));
  for (const failure of await Promise.all(waiting)) expect(failure).toMatchObject({ message: 'enough' });
  expect(await failureOf(ask('book', { signal: enough.signal }))).toMatchObject({ message: 'enough' });
});

test.each([
  [1, true],
  [1100, false],
])('%d tasks that wait for another one keep no thread from it', async (count, alone) => {
  const { pool, ask } = obeyed();
  const offers = { next: () => ask('book', { alone }) };
  const limits = { timeoutMs: 10_000, mayWait: true, alone, offers };
  const asking = Array.from({ length: count }, () => pool.run(WORK, 'ask', limits));
  expect(new Set(await Promise.all(asking))).toEqual(new Set(['ask']));
});

test('a pool is closed while it searches for what a thread computes', async () => {
  const closing = [1010, 1060, 1110, 1160].map(async (milliseconds) => {
    const { pool } = obeyed();
    const spinning = failureOf(pool.run(WORK, 'spin', { timeoutMs: 0, mayWait: true }));
    await setTimeout(milliseconds);
    await pool.close();
    await spinning;
  });
  await Promise.all(closing);
});

test('a thread that computes keeps one other task waiting at most', async () => {
  const { ask } = obeyed();
  const enough = new AbortController();
  // While threads are being started nobody knows which of them will compute.
  await Promise.all([ask('rest 20'), ask('rest 20')]);
  const hanging = failureOf(ask('hang', { timeoutMs: 2500 }));
  let ended = 0;
  const listening: Promise<unknown>[] = [];
  for (let count = 0; count < 6; count += 1) {
    listening.push(failureOf(ask('listen', { signal: enough.signal })).then(() => (ended += 1)));
    await setTimeout(200);
  }
  enough.abort(new Error('enough'));
  await Promise.race([hanging, setTimeout(1000)]);
  expect(ended).toBeGreaterThanOrEqual(5);
  await Promise.all([hanging, ...listening]);
});

test('a thread that is stuck is ended, and what else was in it runs again', async () => {
  const { ask } = obeyed();
  const beside = ['rest 400', 'rest 400', 'rest 400'].map((words) => ask(words));
  const failure = await failureOf(ask('hang', { timeoutMs: 150 }));
  expect(failure).toBeInstanceOf(CodeEndedError);
  expect(failure).toMatchObject({ how: 'computed' });
  expect(await Promise.all(beside)).toEqual(['rest', 'rest', 'rest']);
  expect(await ask('book')).toBe('book');
});

test('what waits in stuck threads loses nothing of its time', async () => {
  const { ask } = obeyed();
  const hanging = ['hang', 'hang'].map((words) => failureOf(ask(words, { timeoutMs: 200 })));
  expect(await ask('rest 20', { timeoutMs: 100 })).toBe('rest');
  await Promise.all(hanging);
});

test.each([
  ['exit', 'ended', 'worker exited with code: 3'],
  ['stray', 'ended', 'nobody caught this'],
  ['late idle', 'waited', 'late'],
  ['late busy', 'computed', 'late'],
])('%s is told as what has %s, and costs nobody else anything', async (words, how, message) => {
  const { ask } = obeyed();
  await Promise.all([ask('book'), ask('book')]);
  const beside = ['rest 200', 'rest 200', 'rest 200', 'rest 200'].map((words) => ask(words));
  expect(await failureOf(ask(words))).toMatchObject({ name: 'CodeEnded', how, message });
  expect(await Promise.all(beside)).toEqual(['rest', 'rest', 'rest', 'rest']);
});

test('code that throws after it has answered costs no other task anything', async () => {
  const { ask } = obeyed();
  expect(await ask('later')).toBe('later');
  expect(await Promise.all(['rest 100', 'rest 100'].map((words) => ask(words)))).toEqual(['rest', 'rest']);
});

test('what is left of a late task is not beside the next one that is to be alone', async () => {
  const { ask } = obeyed();
  expect(await failureOf(ask('leftover', { alone: true }))).toMatchObject({ how: 'computed' });
  const next = ['rest 60', 'rest 60'].map((words) => ask(words, { alone: true, timeoutMs: 500 }));
  expect(await Promise.all(next)).toEqual(['rest', 'rest']);
});

test('what late tasks leave computing in every thread holds up no other task', async () => {
  const { ask } = obeyed();
  await Promise.all([failureOf(ask('leftover')), failureOf(ask('leftover'))]);
  await setTimeout(100);
  expect(await Promise.all(['rest 10', 'rest 10', 'rest 10'].map((words) => ask(words)))).toEqual([
    'rest',
    'rest',
    'rest',
  ]);
});

test('messages that a thread sends for itself say nothing', async () => {
  expect(await obeyed().ask('noise')).toBe('noise');
});

test('nothing runs after the end', async () => {
  const { pool, ask } = obeyed();
  await ask('book');
  const under = failureOf(ask('rest 10000'));
  await pool.close();
  expect(await under).toBeInstanceOf(InfrastructureError);
  expect(await failureOf(ask('book'))).toBeInstanceOf(InfrastructureError);
});

test('a thread that does not start is an error of the infrastructure', async () => {
  const failure = await failureOf(
    obeyed({ thread: new URL('./no-such-thread.mjs', import.meta.url) }).ask('book'),
  );
  expect(failure).toBeInstanceOf(InfrastructureError);
  expect((failure as Error).message).toContain('Cannot find module');
});

test.each([
  new InvalidInputError('as said', 'datasets'),
  new GradingLimitError('as said'),
  new ComparisonUnavailableError(new Error('as said')),
  new InfrastructureError('as said'),
  new Error('as said'),
])('%s is the same in another thread', (error) => {
  expect(unpackError(structuredClone(packError(error)))).toEqual(error);
});

test('an infrastructure failure keeps the words of its causes, unless its author gave it a message', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:80'), { code: 'ECONNREFUSED' });
  const both = Object.assign(new AggregateError([refused]), { code: 'ECONNREFUSED' });
  for (const cause of [refused, both]) {
    expect(packError(new TypeError('fetch failed', { cause }))).toEqual({
      kind: 'infrastructure',
      message: 'fetch failed: connect ECONNREFUSED 10.0.0.1:80',
    });
  }
  const { message } = packError(new InfrastructureError('the desk is closed', { cause: refused }));
  expect(message).toBe('the desk is closed');
});
