import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InfrastructureError, ToolRegistry, z } from '../../../../src/kinds/agent-eval/bundles/index.js';
import {
  KnownDatabases,
  RolloutDatabase,
} from '../../../../src/kinds/agent-eval/bundles/rollout-database.js';
import {
  type ModelToolCall,
  runToolCall,
  type ToolCallOptions,
  type ToolCallPlace,
} from '../../../../src/kinds/agent-eval/bundles/run-tool-call.js';
import type { DatabaseVersion } from '../../../../src/kinds/agent-eval/contracts.js';
import type { ArtifactStore } from '../../../../src/storage/artifact-store.js';
import { openStore } from '../../../../src/storage/open.js';

const ROW = {
  id: 'flight.booking.001',
  now: '2026-03-02T09:00:00.000Z',
  seed_sql: `CREATE TABLE seats (flight INTEGER PRIMARY KEY, free INTEGER CHECK (free >= 0));
    CREATE TABLE bookings (id TEXT PRIMARY KEY, flight REFERENCES seats(flight), at TEXT);
    INSERT INTO seats VALUES (1, 2);`,
};
const BOOK = { name: 'book', arguments: '{"flight":1}' };

interface Tools {
  registry: ToolRegistry;
  /** How often a tool has run. */
  runs: () => number;
}

function tools(): Tools {
  let runs = 0;
  const registry = new ToolRegistry('seats');
  const parameters = z.object({ flight: z.int() });
  registry.tool('book', { description: 'd', parameters }, async ({ flight }, { db, now }) => {
    runs += 1;
    const id = await db.fetchValue<string>('SELECT hex(randomblob(4))');
    await db.execute("INSERT INTO bookings VALUES (:id, :flight, datetime('now'))", { id, flight });
    await db.execute('UPDATE seats SET free = free - 1 WHERE flight = :flight', { flight });
    return { id, now };
  });
  registry.tool('free', { description: 'd', parameters, readOnly: true }, async ({ flight }, { db }) => {
    runs += 1;
    return db.fetchValue('SELECT free FROM seats WHERE flight = :flight', { flight });
  });
  registry.tool('sly', { description: 'd', parameters, readOnly: true }, (_given, { db }) =>
    db.execute('DELETE FROM seats'),
  );
  registry.tool('open', { description: 'd', parameters }, async (_given, { db }) => {
    await db.execute('BEGIN');
    await db.execute('DELETE FROM seats');
  });
  registry.tool('away', { description: 'd', parameters }, async (_given, { db }) => {
    await db.execute('DELETE FROM seats');
    throw new InfrastructureError('the hotel server is unreachable');
  });
  return { registry, runs: () => runs };
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'reprise-rollout-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Runs calls of a registry. */
const by =
  (registry: ToolRegistry, options: ToolCallOptions = {}) =>
  (before: Uint8Array, place: ToolCallPlace, call: ModelToolCall) =>
    runToolCall(before, place, call, registry, options);

/** A store whose process dies at its first write: before the write, or after it. */
function dying(store: ArtifactStore, when: 'before' | 'after'): ArtifactStore {
  return new Proxy(store, {
    get(target, name) {
      if (name !== 'write') {
        const member = target[name as keyof ArtifactStore];
        return typeof member === 'function' ? member.bind(target) : member;
      }
      return async (...input: Parameters<ArtifactStore['write']>) => {
        if (when === 'after') await target.write(...input);
        throw new Error('killed');
      };
    },
  });
}

async function keysOf(store: ArtifactStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  return keys;
}

async function bookings(rollout: RolloutDatabase, at: DatabaseVersion) {
  const db = await rollout.open(at, { readOnly: true });
  onTestFinished(() => db.close());
  return db.fetchAll('SELECT b.id, b.at, s.free FROM bookings b JOIN seats s USING (flight)');
}

test('a call maps one version to the next, and the old one stays', async () => {
  const store = openStore(await folder());
  const rollout = new RolloutDatabase(store, ROW, '0');
  const { registry } = tools();
  const base = await rollout.begin();
  const { outcome, to } = await rollout.call(base, BOOK, by(registry));
  expect([base.version, to.version]).toEqual([0, 1]);
  expect(outcome).toMatchObject({ ok: true, value: { now: ROW.now } });
  expect(await bookings(rollout, base)).toEqual([]);
  expect(await bookings(rollout, to)).toEqual([
    { id: expect.stringMatching(/^[0-9A-F]{8}$/), at: '2026-03-02 09:00:00', free: 1 },
  ]);
  const end = await rollout.finish(to);
  expect(end).toEqual({
    database: 'runs/flight.booking.001/roll_0.db',
    content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(await keysOf(store)).toEqual([
    'runs/flight.booking.001/base.db',
    'runs/flight.booking.001/roll_0.db',
    'tool-calls/flight.booking.001/0/000001.json',
  ]);
});

test.each([
  ['that only reads', { name: 'free', arguments: '{"flight":1}' }, { ok: true, value: 2 }],
  ['that is wrong', { name: 'book', arguments: '{"flight":"x"}' }, { ok: false, fault: 'invalid_arguments' }],
  ['that fails', { name: 'book', arguments: '{"flight":9}' }, { ok: false, fault: 'tool_failed' }],
  [
    'that writes though it said that it reads',
    { name: 'sly', arguments: '{"flight":1}' },
    { ok: false, message: 'this statement writes, and the database is open for reading only' },
  ],
  [
    'that leaves a transaction open',
    { name: 'open', arguments: '{"flight":1}' },
    {
      ok: false,
      fault: 'tool_failed',
      message: 'a transaction was begun and neither committed nor rolled back',
    },
  ],
])('a call %s is a version with the same database', async (_name, call, outcome) => {
  const rollout = new RolloutDatabase(openStore(await folder()), ROW, '0');
  const base = await rollout.begin();
  const made = await rollout.call(base, call, by(tools().registry));
  expect(made.outcome).toMatchObject(outcome);
  expect(made.to).toEqual({ version: 1, database: base.database });
});

describe('a side effect happens once', () => {
  test.each([
    ['before the record is written', 'before', 2],
    ['after the record, before it was reported', 'after', 1],
  ] as const)('when the worker dies %s', async (_name, when, runs) => {
    const path = await folder();
    const calm = new RolloutDatabase(openStore(await folder()), ROW, '0');
    const { registry, runs: ran } = tools();
    const undisturbed = await calm.call(await calm.begin(), BOOK, by(tools().registry));

    const base = await new RolloutDatabase(openStore(path), ROW, '0').begin();
    const first = new RolloutDatabase(dying(openStore(path), when), ROW, '0');
    await expect(first.call(base, BOOK, by(registry))).rejects.toThrow('killed');
    const second = new RolloutDatabase(openStore(path), ROW, '0');
    const { outcome, to } = await second.call(base, BOOK, by(registry));

    expect(ran()).toBe(runs);
    expect(outcome).toEqual(undisturbed.outcome);
    expect(to).toEqual(undisturbed.to);
    expect(await bookings(second, to)).toHaveLength(1);
    expect((await second.finish(to)).content_hash).toBe((await calm.finish(undisturbed.to)).content_hash);
  });

  test('when two workers run the same call', async () => {
    const path = await folder();
    const [one, other] = [0, 1].map(() => new RolloutDatabase(openStore(path), ROW, '0'));
    const base = await (one as RolloutDatabase).begin();
    const made = await Promise.all(
      [one, other].map((worker) => (worker as RolloutDatabase).call(base, BOOK, by(tools().registry))),
    );
    expect(made[0]).toEqual(made[1]);
    expect(await bookings(one as RolloutDatabase, (made[0] as { to: DatabaseVersion }).to)).toHaveLength(1);
  });

  test('when a worker that was taken for dead comes to its end after another has', async () => {
    const path = await folder();
    const other = new RolloutDatabase(openStore(path), ROW, '0');
    const base = await other.begin();
    // Each worker's tool tells which of them ran it.
    const registryOf = (worker: string) => {
      const registry = new ToolRegistry('seats');
      const parameters = z.object({ flight: z.int() });
      registry.tool('book', { description: 'd', parameters }, async ({ flight }, { db }) => {
        await db.execute('INSERT INTO bookings VALUES (:worker, :flight, NULL)', { worker, flight });
        return worker;
      });
      return registry;
    };
    const store = openStore(path);
    const slow = new Proxy(store, {
      get(target, name) {
        const member = target[name as keyof ArtifactStore];
        if (name !== 'write') return typeof member === 'function' ? member.bind(target) : member;
        return async (...input: Parameters<ArtifactStore['write']>) => {
          if (input[0].endsWith('.json')) await other.call(base, BOOK, by(registryOf('second')));
          return target.write(...input);
        };
      },
    });
    const late = await new RolloutDatabase(slow, ROW, '0').call(base, BOOK, by(registryOf('first')));
    expect(late.outcome).toMatchObject({ ok: true, value: 'second' });
    expect(await bookings(other, late.to)).toEqual([{ id: 'second', at: null, free: 2 }]);
    expect(await other.call(base, BOOK, by(registryOf('third')))).toEqual(late);
  });

  test('and a failure of the infrastructure leaves no trace: the call can be done again', async () => {
    const store = openStore(await folder());
    const rollout = new RolloutDatabase(store, ROW, '0');
    const base = await rollout.begin();
    const { registry } = tools();
    await expect(rollout.call(base, { ...BOOK, name: 'away' }, by(registry))).rejects.toThrow(
      'the hotel server is unreachable',
    );
    expect(await keysOf(store)).toEqual(['runs/flight.booking.001/base.db']);
    expect((await rollout.call(base, BOOK, by(registry))).to.version).toBe(1);
  });

  test('and one that was given up is no failure of the tool: it can be done again', async () => {
    const store = openStore(await folder());
    const rollout = new RolloutDatabase(store, ROW, '0');
    const base = await rollout.begin();
    const registry = new ToolRegistry('slow');
    const parameters = z.object({ flight: z.int() });
    const given = new AbortController();
    registry.tool('book', { description: 'd', parameters }, async (_given, { signal }) => {
      given.abort(new Error('the worker shuts down'));
      signal?.throwIfAborted();
    });
    await expect(rollout.call(base, BOOK, by(registry, { signal: given.signal }))).rejects.toThrow(
      'the worker shuts down',
    );
    expect(await rollout.made(1)).toBeNull();
    const { outcome, to } = await rollout.call(base, BOOK, by(tools().registry));
    expect(outcome.ok).toBe(true);
    expect(await rollout.made(1)).toEqual({ outcome, to });
  });

  test('and another call cannot take a version that is taken', async () => {
    const rollout = new RolloutDatabase(openStore(await folder()), ROW, '0');
    const base = await rollout.begin();
    const { registry } = tools();
    await rollout.call(base, BOOK, by(registry));
    await expect(rollout.call(base, { ...BOOK, name: 'free' }, by(registry))).rejects.toThrow(
      'version 1 of flight.booking.001, rollout 0, was made by another call of book',
    );
  });
});

describe('rollouts of a row', () => {
  test('begin with one database and go their own ways', async () => {
    const store = openStore(await folder());
    const { registry } = tools();
    const ends = await Promise.all(
      ['0', '1'].map(async (name) => {
        const rollout = new RolloutDatabase(store, ROW, name);
        const { outcome } = await rollout.call(await rollout.begin(), BOOK, by(registry));
        return outcome.ok ? outcome.value : null;
      }),
    );
    expect(ends[0]).not.toEqual(ends[1]);
    expect((await keysOf(store)).filter((key) => key.endsWith('base.db'))).toHaveLength(1);
  });

  test('that do the same keep the database once, and each can be opened by any worker', async () => {
    const path = await folder();
    const known = new KnownDatabases();
    const ends: DatabaseVersion[] = [];
    for (const name of ['a', 'b']) {
      const rollout = new RolloutDatabase(openStore(path), ROW, name, '0/0', known);
      ends.push((await rollout.call(await rollout.begin(), BOOK, by(tools().registry))).to);
    }
    const database = 'tool-calls/flight.booking.001/a/000001.json';
    expect(ends).toEqual([1, 1].map((version) => ({ version, database })));
    const other = new RolloutDatabase(openStore(path), ROW, 'b', '0/0');
    expect(await other.made(1)).toMatchObject({ to: ends[1] });
    expect(await bookings(other, ends[1] as DatabaseVersion)).toHaveLength(1);
  });

  test('draw the same random values under different names, where they are told to', async () => {
    const { registry } = tools();
    const hashes = ['a', 'b'].map(async (name) => {
      const rollout = new RolloutDatabase(openStore(await folder()), ROW, name, '0/0');
      const { to } = await rollout.call(await rollout.begin(), BOOK, by(registry));
      return (await rollout.finish(to)).content_hash;
    });
    const [one, other] = await Promise.all(hashes);
    expect(one).toBe(other);
  });

  test('a version that is gone is no answer of a tool', async () => {
    const rollout = new RolloutDatabase(openStore(await folder()), ROW, '0');
    const gone = { version: 3, database: 'tool-calls/flight.booking.001/0/000003.json' };
    await expect(rollout.call(gone, BOOK, by(tools().registry))).rejects.toThrow(InfrastructureError);
  });
});
