import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { InfrastructureError } from '../../src/contracts/infrastructure-error.js';
import { engine } from '../../src/databases/engine.js';
import { database, filled } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'reprise-sql-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const secret = join(folder, 'secret.db');
writeFileSync(secret, 'SQLite format 3\u0000, a file of the host');
const copy = join(folder, 'copy.db');

const ONE_DATABASE = 'a bundle has one database, and its SQL reads and writes no files';

describe('SQLite itself refuses what leaves the database', () => {
  test.each<[string, string]>([
    [`ATTACH '${secret}' AS other`, 'ATTACH, DETACH and VACUUM are refused'],
    [`/* nothing */ aTTach /**/ DATABASE '${secret}' AS other`, 'ATTACH, DETACH and VACUUM are refused'],
    ["ATTACH ':memory:' AS other", ONE_DATABASE],
    ["ATTACH 'file:x?vfs=unix' AS other", ONE_DATABASE],
    ["ATTACH (SELECT 'x' || '.db') AS other", ONE_DATABASE],
    ['DETACH main', ONE_DATABASE],
    [`VACUUM INTO '${copy}'`, ONE_DATABASE],
    ['VACUUM', ONE_DATABASE],
    [`SELECT load_extension('${secret}')`, `load_extension() is refused: ${ONE_DATABASE}`],
    [`SELECT Load_Extension('${secret}', 'entry')`, 'Load_Extension() is refused'],
    [`SELECT readfile('${secret}')`, `readfile() is refused: ${ONE_DATABASE}`],
    [`SELECT writefile('${copy}', 'x')`, 'writefile() is refused'],
    ["SELECT edit('x')", 'edit() is refused'],
    ["SELECT * FROM lsdir('/')", 'no such table: lsdir'],
    ["SELECT fts3_tokenizer('simple')", 'fts3_tokenizer() is refused'],
    [
      'PRAGMA writable_schema = ON',
      'PRAGMA writable_schema is refused: leave it out; allowed: application_id',
    ],
    ["PRAGMA temp_store_directory = '/'", 'PRAGMA temp_store_directory is refused'],
    ['PRAGMA case_sensitive_like = ON', 'PRAGMA case_sensitive_like is refused'],
    ['PRAGMA database_list', 'PRAGMA database_list is refused'],
    ['SELECT * FROM pragma_database_list', 'PRAGMA database_list is refused'],
    ["UPDATE sqlite_schema SET sql = ''", 'table sqlite_master may not be modified'],
    [
      "CREATE VIRTUAL TABLE v USING csv(filename='/etc/hostname')",
      'a virtual table of csv is refused; allowed: fts5',
    ],
    ['CREATE VIRTUAL TABLE v USING dbstat', 'a virtual table of dbstat is refused'],
    ["UPDATE sqlite_dbpage SET data = x'00' WHERE pgno = 1", 'read-only'],
  ])('%s', async (sql, message) => {
    const db = await filled('CREATE TABLE notes (text)');
    await expect(db.execute(sql)).rejects.toThrow(message);
    await expect(db.executeScript(`INSERT INTO notes VALUES ('first');\n${sql};`)).rejects.toThrow(message);
    expect(existsSync(copy)).toBe(false);
    // The database is whole, and a refusal is said of the statement that it was for.
    expect(await db.fetchValue('SELECT count(*) FROM notes')).toBe(1);
    await expect(db.execute('nonsense')).rejects.toThrow('near "nonsense": syntax error');
  });

  test('also behind a view or a trigger', async () => {
    const db = await filled(`CREATE TABLE notes (text);
      CREATE VIEW spy AS SELECT readfile('${secret}') AS content;
      CREATE TRIGGER leak AFTER INSERT ON notes BEGIN SELECT writefile('${copy}', new.text); END;`);
    await expect(db.fetchAll('SELECT * FROM spy')).rejects.toThrow('readfile() is refused');
    await expect(db.execute("INSERT INTO notes VALUES ('x')")).rejects.toThrow('writefile() is refused');
  });

  test('what stays within is allowed', async () => {
    const db = await filled(`PRAGMA foreign_keys = ON; PRAGMA user_version = 3;
      CREATE VIRTUAL TABLE pages USING fts5(text);
      INSERT INTO pages VALUES ('the morning flight'), ('the evening train');
      CREATE TEMP TABLE scratch (x); SAVEPOINT here; INSERT INTO scratch VALUES (1); ROLLBACK TO here; RELEASE here;`);
    expect(await db.fetchAll("SELECT text FROM pages WHERE pages MATCH 'morn*'")).toEqual([
      { text: 'the morning flight' },
    ]);
    expect(await db.fetchValue('PRAGMA user_version')).toBe(3);
    expect(await db.fetchValue('SELECT count(*) FROM scratch')).toBe(0);
    expect(await db.fetchValue("SELECT json_extract('{\"a\": [1, 2]}', '$.a[1]')")).toBe(2);
  });
});

describe('a database that is open for reading only', () => {
  test('refuses what writes and answers what reads', async () => {
    const bytes = (await filled('CREATE TABLE a (x); INSERT INTO a VALUES (1)')).serialize();
    const db = await database({ readOnly: true }, bytes);
    for (const sql of [
      'INSERT INTO a VALUES (2)',
      'DROP TABLE a',
      'DELETE FROM a RETURNING x',
      'PRAGMA user_version = 2',
    ]) {
      await expect(db.fetchAll(sql)).rejects.toMatchObject({
        code: 'REFUSED',
        message: 'this statement writes, and the database is open for reading only',
      });
    }
    await expect(db.executeScript('DROP TABLE a')).rejects.toMatchObject({ code: 'REFUSED' });
    expect(await db.fetchAll('SELECT x FROM a')).toEqual([{ x: 1 }]);
  });
});

describe('foreign keys', () => {
  const PARENTS = 'CREATE TABLE p (id PRIMARY KEY); CREATE TABLE c (p REFERENCES p(id));';
  test('are enforced, except while a seed fills its tables', async () => {
    await expect(filled(`${PARENTS} INSERT INTO c VALUES (1)`)).rejects.toThrow(
      'FOREIGN KEY constraint failed',
    );
    const seed = await filled(`${PARENTS} INSERT INTO c VALUES (1)`, { foreignKeys: false });
    expect(await seed.fetchAll('PRAGMA foreign_key_check')).toHaveLength(1);
  });
});

describe('limits', () => {
  const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n';

  test('a statement without an end is stopped, and the next one begins anew', async () => {
    const db = await database({ limits: { steps: 50_000 } });
    for (let time = 0; time < 2; time += 1) {
      await expect(db.fetchValue(ENDLESS)).rejects.toMatchObject({
        code: 'SQLITE_INTERRUPT',
        message: 'stopped after 50000 steps: the statement needs an index, a LIMIT, or an end',
      });
    }
    expect(await db.fetchValue('SELECT 1')).toBe(1);
  });

  test('a database does not outgrow its limit', async () => {
    const db = await filled('CREATE TABLE a (x)', { limits: { bytes: 100_000 } });
    const grow = db.execute('INSERT INTO a VALUES (zeroblob(200000))');
    await expect(grow).rejects.toMatchObject({
      code: 'SQLITE_FULL',
      message: 'the database may have no more than 100000 bytes',
    });
    await db.execute('INSERT INTO a VALUES (zeroblob(50000))');
  });

  test('an answer has no more rows than may be', async () => {
    const db = await database({ limits: { rows: 3 } });
    const count = (rows: number) =>
      db.fetchAll(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT i FROM n`,
      );
    expect(await count(3)).toHaveLength(3);
    await expect(count(4)).rejects.toThrow('the answer has more than 3 rows: narrow it with WHERE or LIMIT');
  });

  test('nor more bytes', async () => {
    const db = await database({ limits: { answerBytes: 1000 } });
    expect(await db.fetchValue("SELECT printf('%.*c', 1000, 'x')")).toHaveLength(1000);
    const long = db.fetchAll("SELECT printf('%.*c', 400, value) AS x FROM json_each('[1, 2, 3]')");
    await expect(long).rejects.toThrow('the answer has more than 1000 bytes');
  });

  test('all databases together hold no more than the engine may', async () => {
    const db = await database();
    const limits = new (await engine()).sqlite.oo1.DB(':memory:');
    onTestFinished(() => limits.close());
    expect(limits.selectValue('PRAGMA hard_heap_limit')).toBe(512 * 1024 * 1024);
    limits.exec('PRAGMA hard_heap_limit = 20000000');
    onTestFinished(() => void limits.exec(`PRAGMA hard_heap_limit = ${512 * 1024 * 1024}`));
    const hoard = `WITH RECURSIVE n(i, b) AS (SELECT 1, printf('%.*c', 1000000, 'x')
        UNION ALL SELECT i + 1, printf('%.*c', 1000000, 'x') FROM n WHERE i < 40)
      SELECT max(length(b)) FROM (SELECT b, i FROM n ORDER BY i DESC, b)`;
    await expect(db.fetchValue(hoard)).rejects.toThrow(InfrastructureError);
    expect(await db.fetchValue('SELECT 1')).toBe(1);
  });
});

describe('the tables that statements name', () => {
  test('are told apart by reading and writing, through views and triggers too', async () => {
    const db = await filled(`CREATE TABLE Seats (id, taken); CREATE TABLE log (text); CREATE TABLE other (x);
      CREATE VIEW free AS SELECT id FROM Seats WHERE taken = 0;
      CREATE TRIGGER note AFTER UPDATE ON Seats BEGIN INSERT INTO log VALUES (new.id); END;`);
    db.touched.read.clear();
    db.touched.written.clear();
    await db.fetchAll('SELECT count(*) FROM free');
    expect([[...db.touched.read].sort(), [...db.touched.written]]).toEqual([['seats'], []]);
    await db.execute('UPDATE seats SET taken = 1');
    expect([...db.touched.written].sort()).toEqual(['log', 'seats']);
  });
});
