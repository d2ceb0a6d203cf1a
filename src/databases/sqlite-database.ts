import type { Database, SqlParameters, SqlResult, SqlRow } from '../contracts/database.js';
import { Connection, openBytes } from './connection.js';
import { contentHash } from './content-hash.js';
import { engine } from './engine.js';
import { DATABASE_LIMITS, type DatabaseLimits, UNLIMITED_ANSWER } from './limits.js';
import type { TouchedTables } from './permissions.js';
import { refused, SqlError } from './sql-error.js';
import { columnNames, MISUSE, type SqlCell, sqlResult, sqlRow } from './statement.js';

export interface DatabaseOptions {
  /** Milliseconds since 1970: the current time in SQL. */
  now: number;
  /** Seed of `random()` and `randomblob()`: the same seed and the same statements give the same values. */
  seed: string;
  /** True if statements that write are refused. */
  readOnly?: boolean;
  /** True if foreign keys are enforced; default true. A seed may fill its tables in any order. */
  foreignKeys?: boolean;
  /** True if statements may write the schema's own table, as a dump of full-text tables does; default false. */
  writesSchema?: boolean;
  limits?: Partial<DatabaseLimits>;
}

const READING_ONLY = 'this statement writes, and the database is open for reading only';

/**
 * SQLite database in memory, made from the bytes of a version and turned into bytes again. It reaches nothing but its
 * own content: no other database, no file, neither the machine's clock nor its randomness. The engine itself refuses
 * forbidden statements (see permissions.ts) and stops slow ones.
 */
export class SqliteDatabase implements Database {
  private constructor(
    private readonly connection: Connection,
    private readonly readOnly: boolean,
  ) {}

  /**
   * Opens a database.
   * @param bytes content of a database file; null for an empty database.
   * @throws SqlError if the bytes are no database.
   */
  static async open(bytes: Uint8Array | null, options: DatabaseOptions): Promise<SqliteDatabase> {
    const { now, seed, readOnly = false, foreignKeys = true, writesSchema = false } = options;
    const started = await engine();
    const handle = started.within({ now, seed: new Uint8Array(1) }, () => openBytes(started, bytes));
    const limits = { ...DATABASE_LIMITS, ...options.limits };
    const connection = new Connection(started, handle, { now, seed, foreignKeys, writesSchema, limits });
    try {
      connection.configure();
    } catch (error) {
      connection.close();
      throw error;
    }
    return new SqliteDatabase(connection, readOnly);
  }

  /** Tables that statements have read or written so far. */
  get touched(): TouchedTables {
    return this.connection.touched;
  }

  /** Pragmas of scripts that were skipped. */
  get skipped(): readonly { pragma: string; line: number }[] {
    return this.connection.skipped;
  }

  async fetchAll<Row extends SqlRow = SqlRow>(sql: string, parameters: SqlParameters = {}): Promise<Row[]> {
    const rows: Row[] = [];
    this.run(sql, parameters, (statement) => {
      const names = columnNames(this.connection.engine, statement);
      this.connection.step(statement, (cells) => rows.push(sqlRow(names, cells) as Row));
    });
    return rows;
  }

  async fetchValue<Value extends SqlResult = SqlResult>(
    sql: string,
    parameters: SqlParameters = {},
  ): Promise<Value | null> {
    let found: SqlCell | undefined;
    this.run(sql, parameters, (statement) =>
      this.connection.step(statement, ([first = null]) => {
        found ??= first;
      }),
    );
    return found === undefined ? null : (sqlResult(found) as Value | null);
  }

  async execute(sql: string, parameters: SqlParameters = {}): Promise<{ changes: number }> {
    const { engine: started, handle } = this.connection;
    const { capi } = started.sqlite;
    let changes = 0;
    this.run(sql, parameters, (statement) => {
      const before = capi.sqlite3_total_changes64(handle);
      this.connection.step(statement, () => {});
      // A statement that changes no rows leaves the count of the one before.
      if (capi.sqlite3_total_changes64(handle) !== before) changes = Number(capi.sqlite3_changes64(handle));
    });
    return { changes };
  }

  /** Runs statements one after another, such as those of a seed. @throws SqlError with the line of the text. */
  async executeScript(sql: string): Promise<void> {
    if (this.readOnly) throw refused(READING_ONLY);
    this.connection.all(sql);
  }

  /** Returns a message if a transaction is still open; else null. */
  unsettled(): string | null {
    const { engine: started, handle } = this.connection;
    return started.sqlite.capi.sqlite3_get_autocommit(handle) === 0
      ? 'a transaction was begun and neither committed nor rolled back'
      : null;
  }

  /** @throws SqlError if a transaction is still open. */
  assertSettled(): void {
    const fault = this.unsettled();
    if (fault !== null) throw new SqlError(fault, MISUSE, this.connection.openSince);
  }

  /** Returns the database as the bytes of a file. The same statements on the same bytes give the same bytes. */
  serialize(): Uint8Array {
    this.assertSettled();
    const { engine: started, handle } = this.connection;
    return this.connection.within(() => started.sqlite.capi.sqlite3_js_db_export(handle));
  }

  /**
   * Returns the SHA-256, in hexadecimal, of the database's content, independent of its page layout. See
   * content-hash.ts.
   */
  contentHash(): string {
    return contentHash((sql) => {
      const rows: SqlCell[][] = [];
      this.run(sql, {}, (statement) => {
        this.connection.step(statement, (cells) => rows.push(cells), UNLIMITED_ANSWER);
      });
      return rows;
    });
  }

  /** Frees the memory; the database cannot be used afterwards. */
  close(): void {
    this.connection.close();
  }

  private run(sql: string, parameters: SqlParameters, use: (statement: number) => void): void {
    this.connection.one(sql, parameters, (statement) => {
      const { capi } = this.connection.engine.sqlite;
      if (this.readOnly && capi.sqlite3_stmt_readonly(statement) === 0) {
        throw refused(READING_ONLY);
      }
      use(statement);
    });
  }
}
