import { expect, onTestFinished, test } from 'vitest';
import { seedDatabase } from '../../../../src/kinds/agent-eval/bundles/seed-database.js';
import { utf8Fault } from '../../../../src/storage/utf8-text.js';

async function seeded(seed_sql: string) {
  const database = await seedDatabase({ id: 'a', seed_sql, now: '2026-03-02T09:00:00.000Z' });
  onTestFinished(() => database.close());
  return database;
}

const SHADOWS = `CREATE TABLE IF NOT EXISTS 'notes_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO notes_data VALUES(1,X'0206');
INSERT INTO notes_data VALUES(10,X'000000000101010001010101');
INSERT INTO notes_data VALUES(137438953473,X'000000380230610102020105626F6F6B7302020401046C617465010203010670617263656C0102040103726564020203010374776F02020204060A090B08');
CREATE TABLE IF NOT EXISTS 'notes_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO notes_idx VALUES(1,X'',2);
CREATE TABLE IF NOT EXISTS 'notes_content'(id INTEGER PRIMARY KEY, c0);
INSERT INTO notes_content VALUES(1,'a late parcel');
INSERT INTO notes_content VALUES(2,'two red books');
CREATE TABLE IF NOT EXISTS 'notes_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO notes_docsize VALUES(1,X'03');
INSERT INTO notes_docsize VALUES(2,X'03');
CREATE TABLE IF NOT EXISTS 'notes_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO notes_config VALUES('version',4);
`;
const intoSchema = (table: string, sql: string) =>
  `INSERT INTO ${table}(type,name,tbl_name,rootpage,sql)VALUES('table','notes','notes',0,'${sql}');\n`;

// What SQLite's shell and Python's iterdump write of a full-text table (python/cpython#153729).
test.each([
  ['the shell', 'sqlite_schema', ''],
  ['Python', 'sqlite_master', `INSERT INTO "notes" VALUES('a late; parcel (it''s)\ntwo lines');\n`],
])(
  'a dump of %s with a full-text table is read, and can be searched and written',
  async (_who, table, rows) => {
    const dump = `PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nPRAGMA writable_schema=ON;\n${intoSchema(table, 'CREATE VIRTUAL TABLE notes USING fts5(body)')}${rows}${SHADOWS}PRAGMA writable_schema=OFF;\nCOMMIT;\n`;
    const database = await seeded(dump);
    const found = (word: string) =>
      database.fetchAll('SELECT rowid, body FROM notes WHERE notes MATCH :word', { word });
    expect(await found('parcel')).toEqual([{ rowid: 1, body: 'a late parcel' }]);
    await database.execute("INSERT INTO notes VALUES ('a third parcel')");
    expect(await found('parcel')).toHaveLength(2);
    await expect(seeded(`${dump}nonsense`)).rejects.toMatchObject({ line: dump.split('\n').length });
    await expect(database.execute('PRAGMA writable_schema=ON')).rejects.toThrow('is refused');
  },
);

test('a schema that is written directly reaches no further than any other', async () => {
  const written = (sql: string) =>
    seeded(`PRAGMA writable_schema=ON;\n${intoSchema('sqlite_schema', sql)}PRAGMA writable_schema=OFF;`);
  await expect(written('CREATE VIRTUAL TABLE notes USING dbstat')).rejects.toThrow(
    'a virtual table of dbstat is refused',
  );
  await expect(written('CREATE nonsense')).rejects.toThrow(/malformed/);
  await expect(seeded("PRAGMA writable_schema=ON; ATTACH 'x.db' AS x;")).rejects.toThrow('ATTACH');
});

test('pragmas that tune a file are left out, and said', async () => {
  const database = await seeded(
    'PRAGMA journal_mode=WAL;\nPRAGMA Cache_Size = -2000; CREATE TABLE t (x);\nPRAGMA optimize;',
  );
  expect(database.skipped).toEqual([
    { pragma: 'journal_mode', line: 1 },
    { pragma: 'cache_size', line: 2 },
    { pragma: 'optimize', line: 3 },
  ]);
  expect(await database.fetchAll('SELECT name FROM sqlite_schema')).toEqual([{ name: 't' }]);
});

test.each([
  ['a transaction that stays open', 'CREATE TABLE t (x);\nBEGIN;\nINSERT INTO t VALUES (1);', 2],
  ['a NUL character', "CREATE TABLE t (x);\nINSERT INTO t VALUES ('ä');\n\0INSERT INTO t VALUES (2);", 3],
])('%s is refused with its line', async (_what, sql, line) => {
  await expect(seeded(sql)).rejects.toMatchObject({ line });
});

test.each<[string, Uint8Array, string | null]>([
  ['UTF-8', Buffer.from('a\nMüller'), null],
  ['UTF-8 with a mark', Buffer.from('\ufeffa'), null],
  ['Latin-1', Buffer.from('a\nM\xfcller\n', 'latin1'), 'line 2 is not UTF-8'],
  ['UTF-16', Buffer.from('\ufeffa', 'utf16le'), 'line 1 is UTF-16'],
  ['half a character at the end', Buffer.from('a\nü').subarray(0, 3), 'line 2 is not UTF-8'],
])('of a text in %s is said whether it is UTF-8', (_name, bytes, fault) => {
  const found = utf8Fault(bytes);
  if (fault === null) expect(found).toBeNull();
  else expect(found).toContain(fault);
});
