import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { OwnerClaims } from '../../src/activities/owner-claims.js';
import { giveSign, noteEnd, storeOfRun } from '../../src/activities/owners.js';
import { withOwners } from '../../src/activities/with-owners.js';
import { runReference } from '../../src/contracts/experiment.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { MemoryStore } from '../support/memory-store.js';

const SILENCE = 200;

let store: ArtifactStore;
let told: string[];

beforeEach(() => {
  store = new MemoryStore(new Map(), { uri: 's3://bucket/sums' });
  told = [];
});

interface Who {
  execution: string;
  workflow?: string;
  server?: string;
}

/** Takes the folder as an execution's preparation does. */
function take({ execution, workflow = 'sums', server = 'here' }: Who, choose = async () => {}) {
  const dependencies = { namespaceId: async () => server, notify: (message: string) => told.push(message) };
  const claims = new OwnerClaims(dependencies, SILENCE);
  const environment = new MockActivityEnvironment(
    { workflowExecution: { workflowId: workflow, runId: execution } },
    { logger: new DefaultLogger('ERROR', () => undefined) },
  );
  return environment.run(() =>
    claims.take(async () => {
      await choose();
      return { folder: 'sums', store };
    }),
  ) as ReturnType<OwnerClaims['take']>;
}

const mayWrite = (own: ArtifactStore) =>
  own.writeStream('results.jsonl', (async function* () {})()).then(
    () => true,
    () => false,
  );

describe('the folder of an experiment', () => {
  test('is the first one’s', async () => {
    const { store: own } = await take({ execution: 'first' });
    expect(await mayWrite(own)).toBe(true);
    expect(JSON.parse((await store.readText('owners/000001.json')) ?? '')).toEqual({
      execution: 'first',
      workflow_id: 'sums',
      namespace_id: 'here',
    });
    expect(told).toEqual([]);
  });

  test('stays its own when the preparation is repeated', async () => {
    await take({ execution: 'first' });
    const { store: own } = await take({ execution: 'first' });
    expect(await mayWrite(own)).toBe(true);
    expect(await store.exists('owners/000002.json')).toBe(false);
  });

  test('goes to the next execution of the same workflow at once', async () => {
    const { store: before } = await take({ execution: 'first' });
    const { store: own } = await take({ execution: 'second' });
    expect(told).toEqual([]);
    expect([await mayWrite(before), await mayWrite(own)]).toEqual([false, true]);
  });

  test.each([
    ['another server', { execution: 'second', server: 'there' }],
    ['another workflow', { execution: 'second', workflow: 'sums!' }],
  ])('is refused to %s while its owner gives signs of life', async (_whose, second) => {
    const { store: own } = await take({ execution: 'first' });
    const taking = take(second);
    setTimeout(() => giveSign(store, 'first', '1'), SILENCE / 2);
    await expect(taking).rejects.toThrow(
      /s3:\/\/bucket\/sums is being written by the workflow 'sums'.* \(execution first\): wait for it or stop it, or give this one another name or another output\.results_dir/,
    );
    expect(await mayWrite(own)).toBe(true);
  });

  test('goes to another server where its owner is silent, and the old one stops with the reason', async () => {
    const { store: before } = await take({ execution: 'first' });
    expect(await mayWrite(before)).toBe(true);
    const { store: own } = await take({ execution: 'second', server: 'there' });
    expect(told).toEqual([
      "s3://bucket/sums was last written by the workflow 'sums' of another Temporal server (execution first); making sure that it is not at work…",
    ]);
    expect(await mayWrite(own)).toBe(true);
    await expect(before.deleteFolder('parts')).rejects.toMatchObject({
      message:
        "s3://bucket/sums was taken over by the workflow 'sums' (execution second), which continues with it; this one has stopped",
      mayPass: false,
    });
  });

  test('goes to another server at once where its owner has ended', async () => {
    await take({ execution: 'first' });
    await giveSign(store, 'first', '1');
    await noteEnd(store, 'first');
    await take({ execution: 'second', server: 'there' });
    expect(told).toEqual([]);
  });

  test('is chosen anew where its owner ended meanwhile', async () => {
    await take({ execution: 'first' });
    const choose = vi.fn(async () => undefined);
    const taking = take({ execution: 'second', server: 'there' }, choose);
    setTimeout(() => noteEnd(store, 'first'), SILENCE / 4);
    await taking;
    expect(choose).toHaveBeenCalledTimes(2);
  });

  test('has one owner where many come at once', async () => {
    const servers = Array.from({ length: 10 }, (_, server) => `server-${server}`);
    const taken = await Promise.allSettled(
      servers.map(async (server) => {
        const { store: own } = await take({ execution: server, server });
        // Each of them works as soon as it may.
        const signs = setInterval(() => giveSign(store, server, String(performance.now())), 20);
        await sleep(3 * SILENCE);
        clearInterval(signs);
        return mayWrite(own);
      }),
    );
    expect(taken.filter((one) => one.status === 'fulfilled')).toEqual([{ status: 'fulfilled', value: true }]);
  });

  test('that nobody ever claimed may be written, as by runs from before there were owners', async () => {
    const own = storeOfRun(() => store, runReference(store.uri, 'first'));
    expect(await mayWrite(own)).toBe(true);
    await take({ execution: 'second' });
    expect(await mayWrite(own)).toBe(false);
  });

  test('is asked about once in five seconds where small objects are written', async () => {
    const { store: own } = await take({ execution: 'first' });
    await own.write('pending/1.json', '1');
    await take({ execution: 'second' });
    expect(await own.write('pending/2.json', '2')).toBe(true);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5001 });
    try {
      await expect(own.write('pending/3.json', '3')).rejects.toThrow('was taken over');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a worker', () => {
  const run = 's3://bucket/sums#first';
  const sign = () => store.readText('owners/000001-sign');

  test('gives signs of life of a run for as long as it works for it', async () => {
    await take({ execution: 'first' });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const working = new AbortController();
      const { work } = withOwners(
        { work: (_input: { run: string }) => once(working.signal, 'abort') },
        { openStore: () => store },
      );
      const worked = work({ run });
      const signs = new Set<string | null>();
      for (let count = 0; count < 3; count++) {
        vi.advanceTimersByTime(5000);
        await vi.waitFor(async () => expect(signs.has(await sign())).toBe(false));
        signs.add(await sign());
      }
      working.abort();
      await worked;
      vi.advanceTimersByTime(60_000);
      await sleep(20);
      expect(signs.has(await sign())).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  test('notes with the last activity of a run that it has ended', async () => {
    await take({ execution: 'first' });
    await giveSign(store, 'first', '1');
    const { finalizeRun } = withOwners(
      { finalizeRun: async (_input: { plan: { run: string } }) => 'metrics' },
      { openStore: () => store },
      { finalizeRun: 'ends' },
    );
    expect(await finalizeRun({ plan: { run } })).toBe('metrics');
    expect(await store.exists('owners/000001-ended.json')).toBe(true);
    await giveSign(store, 'first', '2');
    expect(await sign()).toBeNull();
  });
});
