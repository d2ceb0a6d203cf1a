import { describe, expect, onTestFinished, test } from 'vitest';
import { InfrastructureError } from '../../src/contracts/infrastructure-error.js';
import { engine } from '../../src/databases/engine.js';
import { SqliteDatabase } from '../../src/databases/sqlite-database.js';
import { database, filled, NOW } from './support.js';

describe('the present time', () => {
  test('is the pinned one, in every form', async () => {
    const db = await database();
    expect(
      await db.fetchAll(`SELECT date('now') AS day, time() AS time, CURRENT_TIMESTAMP AS stamp,
        strftime('%s', 'now') AS seconds, date('now', '+1 day') AS tomorrow`),
    ).toEqual([
      {
        day: '2026-03-02',
        time: '09:30:15',
        stamp: '2026-03-02 09:30:15',
        seconds: String(NOW / 1000),
        tomorrow: '2026-03-03',
      },
    ]);
  });

  test('is each database’s own, also where their statements take turns', async () => {
    const early = await database({ now: 0 });
    const late = await database({ now: Date.UTC(2030, 0, 1) });
    const day = "SELECT date('now')";
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await early.fetchValue(day)).toBe('1970-01-01');
      expect(await late.fetchValue(day)).toBe('2030-01-01');
    }
  });

  test('is UTC, in whatever time zone the machine is', async () => {
    const zone = process.env.TZ;
    onTestFinished(() => {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    });
    process.env.TZ = 'Asia/Tokyo';
    const db = await database({ now: Date.UTC(2026, 1, 28, 20, 5, 9) });
    expect(
      await db.fetchAll(`SELECT datetime('now', 'localtime') AS here, date('now', 'localtime', '+1 day') AS next,
        datetime('1969-12-31 23:59:58', 'localtime') AS before, datetime('2024-02-29 12:00', 'utc') AS there`),
    ).toEqual([
      {
        here: '2026-02-28 20:05:09',
        next: '2026-03-01',
        before: '1969-12-31 23:59:58',
        there: '2024-02-29 12:00:00',
      },
    ]);
  });

  test('fills a default of a column', async () => {
    const db = await filled('CREATE TABLE a (x, at TEXT DEFAULT CURRENT_DATE); INSERT INTO a (x) VALUES (1)');
    expect(await db.fetchValue('SELECT at FROM a')).toBe('2026-03-02');
  });
});

describe('chance', () => {
  const dice = async (db: SqliteDatabase) => [
    await db.fetchValue('SELECT hex(randomblob(4))'),
    await db.fetchValue('SELECT random()'),
    await db.fetchValue('SELECT hex(randomblob(4))'),
  ];

  test('follows from the seed and the statements before, whatever other databases do', async () => {
    const first = await dice(await database({ seed: 'row/0/3' }));
    const [one, other] = [await database({ seed: 'row/0/3' }), await database({ seed: 'row/1/3' })];
    const taken: unknown[] = [];
    for (const sql of ['SELECT hex(randomblob(4))', 'SELECT random()', 'SELECT hex(randomblob(4))']) {
      await other.fetchValue(sql);
      taken.push(await one.fetchValue(sql));
    }
    expect(taken).toEqual(first);
    expect(new Set(first).size).toBe(3);
    expect(await dice(await database({ seed: 'row/0/4' }))).not.toEqual(first);
  });
});

describe('the engine', () => {
  test('is replaced after a breakdown, which is the infrastructure’s fault', async () => {
    const broken = await engine();
    const breakdown = () =>
      broken.within({ now: 0, seed: new Uint8Array(1) }, () => {
        throw Object.assign(new Error('unreachable'), { name: 'RuntimeError' });
      });
    expect(breakdown).toThrow(InfrastructureError);
    expect(breakdown).toThrow("SQLite's engine broke down: unreachable");
    expect(await engine()).not.toBe(broken);
    expect(await (await database()).fetchValue('SELECT 1')).toBe(1);
  });

  test('gives back what a closed database held', async () => {
    const { wasm } = (await engine()).sqlite;
    const seed = (await filled('CREATE TABLE a (x); INSERT INTO a VALUES (zeroblob(100000))')).serialize();
    const open = async () => {
      const db = await SqliteDatabase.open(seed, { now: 0, seed: '' });
      await db.execute('INSERT INTO a VALUES (:text)', { text: 'x'.repeat(50_000) });
      await expect(db.execute('ATTACH :text AS b', { text: 'b' })).rejects.toThrow('refused');
      db.serialize();
      db.close();
      db.close();
    };
    for (let round = 0; round < 5; round += 1) await open();
    const [memory, functions] = [wasm.heap8u().byteLength, wasm.functionTable().length];
    for (let round = 0; round < 30; round += 1) await open();
    expect(wasm.heap8u().byteLength).toBe(memory);
    expect(wasm.functionTable().length).toBe(functions);
  });
});
