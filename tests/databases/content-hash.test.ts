import { expect, test } from 'vitest';
import { database, filled } from './support.js';

const hashOf = async (script: string) => (await filled(script)).contentHash();
const TABLE = 'CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT);';

test('is the same whatever the order of insertions and the layout of the pages', async () => {
  const forwards = `${TABLE} CREATE TABLE b (x); INSERT INTO a VALUES (1, 'x'), (2, 'y'); INSERT INTO b VALUES (1), (2);`;
  const backwards = `CREATE TABLE b (x); INSERT INTO b VALUES (2), (1); ${TABLE}
    INSERT INTO a SELECT value, zeroblob(9000) FROM json_each('[3,4,5,6,7]'); DELETE FROM a;
    INSERT INTO a VALUES (2, 'y'), (1, 'z'); UPDATE a SET text = 'x' WHERE id = 1;`;
  const [one, other] = [await filled(forwards), await filled(backwards)];
  expect(one.contentHash()).toBe(other.contentHash());
  expect(Buffer.compare(one.serialize(), other.serialize())).not.toBe(0);
});

test('stays the same when a version is written and read, and when it is asked for twice', async () => {
  const db = await filled(`${TABLE} INSERT INTO a VALUES (1, 'x')`);
  const again = await database({}, db.serialize());
  expect([db.contentHash(), again.contentHash(), again.contentHash()]).toEqual(
    Array(3).fill(db.contentHash()),
  );
});

const BASE = `${TABLE} INSERT INTO a VALUES (1, 'x'), (2, NULL);`;
test.each([
  ['another value', `${TABLE} INSERT INTO a VALUES (1, 'y'), (2, NULL);`],
  ['an empty text in place of NULL', `${TABLE} INSERT INTO a VALUES (1, 'x'), (2, '');`],
  ['a value in another row', `${TABLE} INSERT INTO a VALUES (1, NULL), (2, 'x');`],
  ['a row more', `${BASE} INSERT INTO a VALUES (3, NULL);`],
  ['an empty table more', `${BASE} CREATE TABLE b (x);`],
  ['an index', `${BASE} CREATE INDEX i ON a (text);`],
  ['a trigger', `${BASE} CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;`],
])('differs for %s', async (_name, script) => {
  expect(await hashOf(script)).not.toBe(await hashOf(BASE));
});

test.each([
  ['1', "'1'"],
  ['1', '1.0'],
  ["'1'", "x'31'"],
  ['9007199254740993', '9007199254740992'],
])('tells %s from %s', async (left, right) => {
  const holding = (value: string) => hashOf(`CREATE TABLE a (x); INSERT INTO a VALUES (${value})`);
  expect(await holding(left)).not.toBe(await holding(right));
});

test('takes two rows for two, wherever one text ends and the next begins', async () => {
  const holding = (rows: string) => hashOf(`CREATE TABLE a (x, y); INSERT INTO a VALUES ${rows}`);
  expect(await holding("('ab', 'c')")).not.toBe(await holding("('a', 'bc')"));
  expect(await holding("('a', 'b'), ('a', 'b')")).not.toBe(await holding("('a', 'b')"));
});

test('reads an index of full texts by what it indexes', async () => {
  const pages = (values: string) => `CREATE VIRTUAL TABLE p USING fts5(t); INSERT INTO p VALUES ${values};`;
  expect(await hashOf(pages("('one'), ('two')"))).toBe(
    await hashOf(`${pages("('two')")} INSERT INTO p VALUES ('one');`),
  );
  expect(await hashOf(pages("('one')"))).not.toBe(await hashOf(pages("('two')")));
});
