import { describe, expect, test } from 'vitest';
import { SqlError } from '../../src/databases/sql-error.js';
import { SqliteDatabase } from '../../src/databases/sqlite-database.js';
import { database, filled, NOW } from './support.js';

const FLIGHTS = `
CREATE TABLE flights (id INTEGER PRIMARY KEY, origin TEXT NOT NULL, price REAL);
INSERT INTO flights VALUES (1, 'SFO', 99.5), (2, 'SFO', 120), (3, 'LAX', NULL);
`;

describe('what a statement answers', () => {
  test('rows as objects, values by name, whichever sign the statement uses', async () => {
    const db = await filled(FLIGHTS);
    for (const sign of [':', '@', '$']) {
      const sql = `SELECT id, price FROM flights WHERE origin = ${sign}from AND price < ${sign}most`;
      expect(await db.fetchAll(sql, { from: 'SFO', most: 100 })).toEqual([{ id: 1, price: 99.5 }]);
    }
    expect(await db.fetchAll('SELECT id FROM flights WHERE id > 7')).toEqual([]);
  });

  test('one value: the first column of the first row, null where there is none', async () => {
    const db = await filled(FLIGHTS);
    expect(await db.fetchValue('SELECT id, origin FROM flights ORDER BY id DESC')).toBe(3);
    expect(await db.fetchValue('SELECT price FROM flights WHERE id = 3')).toBeNull();
    expect(await db.fetchValue('SELECT id FROM flights WHERE id = 7')).toBeNull();
  });

  test('how many rows it changed', async () => {
    const db = await filled(FLIGHTS);
    const sql = 'UPDATE flights SET price = price + :more WHERE price IS NOT NULL';
    expect(await db.execute(sql, { more: 1 })).toEqual({ changes: 2 });
    expect(await db.execute('DELETE FROM flights WHERE id = 7')).toEqual({ changes: 0 });
    expect(await db.execute('DELETE FROM flights WHERE id = 1')).toEqual({ changes: 1 });
    expect(await db.execute('CREATE TABLE seats (id)')).toEqual({ changes: 0 });
    expect(await db.execute('UPDATE flights SET price = 0 WHERE id = 7')).toEqual({ changes: 0 });
  });

  test('without the rows that triggers changed', async () => {
    const db = await filled(`${FLIGHTS} CREATE TABLE log (x);
      CREATE TRIGGER t AFTER DELETE ON flights BEGIN INSERT INTO log VALUES (1), (2); END;`);
    expect(await db.execute('DELETE FROM flights WHERE id < 3')).toEqual({ changes: 2 });
    expect(await db.fetchValue('SELECT count(*) FROM log')).toBe(4);
  });

  test.each([
    ['a text with a NUL and an emoji', 'a\u0000b✈️', 'a\u0000b✈️', 'text'],
    ['a text with a byte order mark', '\ufeffa', '\ufeffa', 'text'],
    ['an empty text', '', '', 'text'],
    ['a whole number', 42, 42, 'integer'],
    ['a real number', 0.1, 0.1, 'real'],
    ['the largest number that is exact', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'integer'],
    ['an integer of 64 bits, as text', 9007199254740993n, '9007199254740993', 'integer'],
    ['true', true, 1, 'integer'],
    ['null', null, null, 'null'],
    ['bytes', new Uint8Array([0, 255, 7]), new Uint8Array([0, 255, 7]), 'blob'],
  ])('%s comes back', async (_name, value, back, kind) => {
    const db = await database();
    expect(await db.fetchAll('SELECT :v AS value, typeof(:v) AS kind', { v: value })).toEqual([
      { value: back, kind },
    ]);
  });

  test('a column named __proto__ is data', async () => {
    const [row] = await (await database()).fetchAll("SELECT 'x' AS __proto__");
    expect(Object.entries(row ?? {})).toEqual([['__proto__', 'x']]);
  });
});

describe('a wrong call is refused with one sentence', () => {
  const odd = (value: unknown) => ({ v: value as string });
  test.each<[string, string, Parameters<SqliteDatabase['fetchAll']>[1], string]>([
    ['a value is missing', 'SELECT :a, :b', { a: 1 }, 'the parameter :b has no value'],
    ['a value is undefined', 'SELECT :v', odd(undefined), 'the parameter :v has no value'],
    ['a value has no parameter', 'SELECT :a', { a: 1, bb: 2 }, 'the statement has no parameter :bb'],
    ['an inherited name', 'SELECT :toString', {}, 'the parameter :toString has no value'],
    ['positions', 'SELECT ?', {}, 'parameters are named: write :name in place of ?'],
    ['NaN', 'SELECT :v', { v: Number.NaN }, 'the parameter :v must be a number, not NaN'],
    [
      'a list',
      'SELECT :v',
      odd([1]),
      'the parameter :v must be a text, number, boolean, null or bytes, not a list',
    ],
    ['an object', 'SELECT :v', odd({}), 'not of type object'],
    ['more than 64 bits', 'SELECT :v', { v: 2n ** 63n }, 'the parameter :v has more than 64 bits'],
    ['two statements', "SELECT 'a;b'; DELETE FROM flights", {}, 'only one statement a call is run'],
    ['two, one of them wrong', 'SELECT 1; nonsense', {}, 'only one statement a call is run'],
    ['none', ' -- nothing\n', {}, 'there is no statement in the text'],
    ['two columns of one name', 'SELECT 1 AS a, 2 AS a', {}, "two columns are named 'a'"],
    ['no such table', 'SELECT * FROM nowhere', {}, 'no such table: nowhere'],
    ['a syntax error', 'SELEC 1', {}, 'near "SELEC": syntax error'],
  ])('%s', async (_name, sql, parameters, message) => {
    const db = await filled(FLIGHTS);
    const asked = db.fetchAll(sql, parameters);
    await expect(asked).rejects.toThrow(SqlError);
    await expect(asked).rejects.toThrow(message);
    expect(await db.fetchValue('SELECT count(*) FROM flights')).toBe(3);
  });

  test('a comment after the statement is none', async () => {
    expect(await (await database()).fetchValue('SELECT 1; -- the end\n/* truly */')).toBe(1);
  });

  test('a broken constraint has SQLite’s code', async () => {
    const db = await filled(FLIGHTS);
    await expect(db.execute('INSERT INTO flights (id, origin) VALUES (1, NULL)')).rejects.toMatchObject({
      code: 'SQLITE_CONSTRAINT',
      message: 'NOT NULL constraint failed: flights.origin',
    });
  });

  test('a closed database says so', async () => {
    const db = await database();
    db.close();
    await expect(db.fetchAll('SELECT 1')).rejects.toThrow('the database is closed');
  });
});

describe('a script', () => {
  test.each([
    ['CREATE TABLE a (x);\n\nINSERT INTO a VALUES (1);\nINSERT INTO b VALUES (1);', 4, 'no such table: b'],
    ['-- first\nCREATE TABLE a (\n  x FORM,\n  y,);', 4, 'near ")": syntax error'],
    [
      "SELECT 'ü';\nCREATE TABLE a (x NOT NULL);\nINSERT INTO a\n VALUES (NULL);",
      3,
      'NOT NULL constraint failed',
    ],
    ['CREATE TABLE a (x);\nINSERT INTO a VALUES (:x);', 2, 'the parameter :x has no value'],
    ["\n\nATTACH 'other.db' AS other;", 3, 'ATTACH, DETACH and VACUUM are refused'],
  ])('%j names line %i', async (script, line, message) => {
    await expect(filled(script)).rejects.toMatchObject({ line, message: expect.stringContaining(message) });
  });

  test('may be empty, end without a semicolon, or be a dump', async () => {
    await filled('');
    await filled(' ;; -- nothing');
    const dump =
      'PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE a (x);\nINSERT INTO a VALUES (1);\nCOMMIT';
    expect(await (await filled(dump)).fetchValue('SELECT x FROM a')).toBe(1);
  });
});

describe('a version of a database', () => {
  test('is its bytes: what they are opened with is what was written', async () => {
    const first = await filled(FLIGHTS);
    const second = await database({}, first.serialize());
    await second.execute("INSERT INTO flights VALUES (4, 'JFK', 1)");
    expect(await second.fetchValue('SELECT count(*) FROM flights')).toBe(4);
    expect(await first.fetchValue('SELECT count(*) FROM flights')).toBe(3);
    const third = await database({}, second.serialize());
    expect(await third.fetchValue('SELECT origin FROM flights WHERE id = 4')).toBe('JFK');
  });

  test('of an empty database is opened as an empty database', async () => {
    const empty = await database();
    const again = await database({}, empty.serialize());
    expect(await again.fetchValue('SELECT count(*) FROM sqlite_schema')).toBe(0);
    await again.execute('CREATE TABLE a (x)');
  });

  test('has the same bytes after the same statements', async () => {
    const bytes = (await filled(FLIGHTS)).serialize();
    const changed = async () => {
      const db = await database({ seed: 'row/0/1' }, bytes);
      await db.execute("INSERT INTO flights VALUES (abs(random()), hex(randomblob(4)), julianday('now'))");
      return db.serialize();
    };
    expect(Buffer.compare(await changed(), await changed())).toBe(0);
  });

  test('cannot be taken within a transaction', async () => {
    const db = await filled('CREATE TABLE a (x)');
    await db.execute('BEGIN');
    expect(() => db.serialize()).toThrow('a transaction was begun and neither committed nor rolled back');
  });

  test('that is no database is refused', async () => {
    const open = (bytes: Uint8Array) => SqliteDatabase.open(bytes, { now: NOW, seed: '' });
    await expect(open(Buffer.from('no database, though it is long enough to look like one'))).rejects.toThrow(
      SqlError,
    );
    const bytes = (await filled(FLIGHTS)).serialize();
    await expect(open(bytes.fill(7, 0, 50))).rejects.toThrow('file is not a database');
  });
});
