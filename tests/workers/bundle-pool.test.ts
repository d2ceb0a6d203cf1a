import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { BundleRow } from '../../src/contracts/bundle.js';
import { InfrastructureError } from '../../src/contracts/infrastructure-error.js';
import { BundlePool } from '../../src/workers/bundle-pool.js';

const OBEDIENT = new URL('./obedient-bundle-thread.mjs', import.meta.url);
const STORED = {
  folder: '/desk',
  row: { id: 'desk.001', now: '2026-03-02T09:00:00.000Z', toolset: './tools.ts' } as BundleRow,
};
const BYTES = new Uint8Array([1, 2, 3]);

/** Makes calls that a thread obeys. */
function called(options: ConstructorParameters<typeof BundlePool>[0] = {}) {
  const pool = new BundlePool({ thread: OBEDIENT, grace: 50, ...options });
  onTestFinished(() => pool.close());
  const code = pool.code();
  return (name: string, limits: { timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const asked = {
      before: BYTES,
      place: { row: STORED.row, seed: 's' },
      call: { name, arguments: '{}' },
    };
    return code.call(STORED, asked, { timeoutMs: 10_000, ...limits });
  };
}

const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

test('answers what the thread says, with bytes', async () => {
  expect(await called()('book')).toEqual({ outcome: 'book', bytes: BYTES });
});

test('code that waits leaves its thread to others', async () => {
  const call = called();
  const enough = new AbortController();
  const waiting = Array.from({ length: 5 }, () => failureOf(call('listen', { signal: enough.signal })));
  expect((await call('book')).outcome).toBe('book');
  enough.abort(new Error('enough'));
  for (const failure of await Promise.all(waiting)) expect(failure).toMatchObject({ message: 'enough' });
});

test('a thread that computes keeps one other task waiting at most', async () => {
  const call = called();
  const enough = new AbortController();
  // While threads are being started nobody knows which of them will compute.
  await Promise.all([call('rest 20'), call('rest 20')]);
  const hanging = failureOf(call('hang', { timeoutMs: 2500 }));
  let ended = 0;
  const listening: Promise<unknown>[] = [];
  for (let count = 0; count < 6; count += 1) {
    const listens = failureOf(call('listen', { signal: enough.signal }));
    listening.push(listens.then(() => (ended += 1)));
    await setTimeout(200);
  }
  enough.abort(new Error('enough'));
  await hanging;
  expect(ended).toBeGreaterThanOrEqual(5);
  await Promise.all(listening);
});

test('ends a thread that is stuck, and runs again what else was in it', async () => {
  const call = called();
  const beside = ['rest 400', 'rest 400', 'rest 400'].map((name) => call(name));
  const failure = await failureOf(call('hang', { timeoutMs: 150 }));
  expect(failure).toBeInstanceOf(InfrastructureError);
  expect((failure as Error).message).toBe(
    'the tool hang of desk.001 (./tools.ts in /desk) computed for longer than 0.15 s without a pause; its thread was ended',
  );
  for (const { outcome } of await Promise.all(beside)) expect(outcome).toBe('rest');
  expect((await call('book')).outcome).toBe('book');
});

test('what waits in stuck threads loses nothing of its time', async () => {
  const call = called();
  const hanging = ['hang', 'hang'].map((name) => failureOf(call(name, { timeoutMs: 200 })));
  expect((await call('rest 20', { timeoutMs: 100 })).outcome).toBe('rest');
  await Promise.all(hanging);
});

test.each([
  ['exit', 'the thread of the tool exit of desk.001 (./tools.ts in /desk) ended: worker exited with code: 3'],
  ['stray', 'the thread of the tool stray of desk.001 (./tools.ts in /desk) ended: nobody caught this'],
])('code that ends its thread (%s) ends nothing else', async (name, message) => {
  const call = called();
  const failure = await failureOf(call(name));
  expect(failure).toBeInstanceOf(InfrastructureError);
  expect((failure as Error).message).toBe(message);
  expect((await call('book')).outcome).toBe('book');
});

test('code that throws after it has answered costs no other task anything', async () => {
  const call = called();
  const enough = new AbortController();
  const hanging = failureOf(call('hang', { timeoutMs: 600 }));
  const listening = failureOf(call('listen', { signal: enough.signal }));
  // With as much to do in the other thread, it waits where nothing comes to it.
  const waiting = call('book');
  enough.abort(new Error('enough'));
  await listening;
  expect((await call('later')).outcome).toBe('later');
  expect((await waiting).outcome).toBe('book');
  expect(await hanging).toMatchObject({ message: expect.stringContaining('its thread was ended') });
});

test('messages that a thread sends for itself say nothing', async () => {
  expect((await called()('noise')).outcome).toBe('noise');
});

test('nothing runs after the end', async () => {
  const pool = new BundlePool({ thread: OBEDIENT });
  const call = () =>
    pool
      .code()
      .call(
        STORED,
        { before: BYTES, place: { row: STORED.row, seed: 's' }, call: { name: 'book', arguments: '{}' } },
        { timeoutMs: 10_000 },
      );
  await call();
  await pool.close();
  expect(await failureOf(call())).toBeInstanceOf(InfrastructureError);
});

test.each([
  ['infrastructure', 'InfrastructureError', {}],
  ['reward', 'RewardError', {}],
  ['input', 'InvalidInputError', { field: 'datasets' }],
  ['other', 'InfrastructureError', { message: expect.stringMatching(/^the tool .*: as asked$/) }],
])('an error of the kind %s is a %s here', async (kind, name, fields) => {
  const failure = await failureOf(called()(`fail ${kind}`));
  expect(failure).toMatchObject({ name, message: 'as asked', ...fields });
});

test('a tool hears that nobody waits any more', async () => {
  const call = called();
  await call('book');
  const given = new AbortController();
  const listening = failureOf(call('listen', { signal: given.signal }));
  void setTimeout(50).then(() => given.abort(new Error('the run was cancelled')));
  expect(await listening).toMatchObject({ message: 'the run was cancelled' });
  expect(await failureOf(call('book', { signal: given.signal }))).toMatchObject({
    message: 'the run was cancelled',
  });
});

test('a thread that does not start is an error of the infrastructure', async () => {
  const failure = await failureOf(
    called({ thread: new URL('./no-such-thread.mjs', import.meta.url) })('book'),
  );
  expect(failure).toBeInstanceOf(InfrastructureError);
  expect((failure as Error).message).toContain('Cannot find module');
});
