import { refusalOfSchema } from '../../../databases/permissions.js';
import { refused } from '../../../databases/sql-error.js';
import { SqliteDatabase } from '../../../databases/sqlite-database.js';
import type { BundleRow } from './contracts.js';

type Seeded = Pick<BundleRow, 'id' | 'seed_sql' | 'now'>;

/** Statement in dumps of full-text tables, which write these tables directly into the schema. */
const WRITES_SCHEMA = /\bPRAGMA\s+writable_schema\b/i;

/**
 * Removes the rows of full-text tables, which Python's `iterdump` writes in addition to the tables that store them.
 * SQLite cannot insert them before it has read the schema again. Line numbers stay the same.
 */
function withoutRowsOfVirtualTables(sql: string): string {
  const names = [...sql.matchAll(/'CREATE VIRTUAL TABLE (?:IF NOT EXISTS )?["[`]?(\w+)/gi)].map(
    ([, name]) => name,
  );
  if (names.length === 0) return sql;
  const rows = new RegExp(
    `^INSERT INTO ["[\`]?(?:${names.join('|')})["\\]\`]? VALUES\\((?:'[^']*'|[^'()])*\\);$`,
    'gim',
  );
  return sql.replace(rows, (row) => row.replace(/[^\n]+/g, ''));
}

/**
 * Creates the initial database of a row. The same row gives the same bytes.
 * @throws SqlError with the line of the seed.
 */
export async function seedDatabase(row: Seeded): Promise<SqliteDatabase> {
  const writesSchema = WRITES_SCHEMA.test(row.seed_sql);
  const database = await opened(row, null, writesSchema);
  try {
    await database.executeScript(writesSchema ? withoutRowsOfVirtualTables(row.seed_sql) : row.seed_sql);
    database.assertSettled();
    return writesSchema ? await readAnew(row, database) : database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function opened(row: Seeded, bytes: Uint8Array | null, writesSchema: boolean): Promise<SqliteDatabase> {
  return SqliteDatabase.open(bytes, {
    now: Date.parse(row.now),
    seed: `${row.id}/seed`,
    // A seed may fill its tables in any order.
    foreignKeys: false,
    writesSchema,
  });
}

/** Reopens a database, so that SQLite reads the schema that was written. @throws SqlError if the schema is refused */
async function readAnew(row: Seeded, written: SqliteDatabase): Promise<SqliteDatabase> {
  const database = await opened(row, written.serialize(), false);
  try {
    const schema = await database.fetchAll<{ sql: string }>(
      'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL',
    );
    const refusal = refusalOfSchema(schema.map(({ sql }) => sql));
    if (refusal !== null) throw refused(refusal);
    written.close();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
