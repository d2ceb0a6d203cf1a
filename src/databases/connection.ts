import { createHash } from 'node:crypto';
import type { SqlParameters } from '../contracts/database.js';
import { InfrastructureError } from '../contracts/infrastructure-error.js';
import type { Engine } from './engine.js';
import { type DatabaseLimits, LARGEST_VALUE_BYTES } from './limits.js';
import { authorizer, refusalOfFunction, type TouchedTables } from './permissions.js';
import { lineAt, REFUSED, SqlError, withLine } from './sql-error.js';
import { bind, MISUSE, readCells, type SqlCell } from './statement.js';

export interface ConnectionOptions {
  /** Milliseconds since 1970. */
  now: number;
  /** Seed of random values. */
  seed: string;
  foreignKeys: boolean;
  /** True if statements may write the schema's own table, as a dump of full-text tables does. */
  writesSchema: boolean;
  limits: DatabaseLimits;
}

/** Steps between two checks of the step limit: costs less than 1 % of the time. */
const STEPS_A_LOOK = 10_000;

/** SQL text in the engine's memory, and room for two pointers. */
interface Text {
  sql: string;
  start: number;
  outs: number;
}

const POINTER_BYTES = 4;

/**
 * Opens a database in the engine's memory and returns its handle.
 * @param bytes content of a database file; null or nothing for an empty database
 */
export function openBytes({ sqlite }: Engine, bytes: Uint8Array | null): number {
  const { capi, wasm } = sqlite;
  const scope = wasm.scopedAllocPush();
  try {
    const out = wasm.scopedAlloc(POINTER_BYTES);
    const flags = capi.SQLITE_OPEN_READWRITE | capi.SQLITE_OPEN_CREATE;
    const code = capi.sqlite3_open_v2(':memory:', out, flags, 0);
    const handle = Number(wasm.peekPtr(out));
    if (code !== capi.SQLITE_OK) throw new InfrastructureError(`SQLite cannot open a database: code ${code}`);
    try {
      if (bytes !== null && bytes.byteLength > 0) fill(sqlite, handle, bytes);
    } catch (error) {
      capi.sqlite3_close_v2(handle);
      throw error;
    }
    return handle;
  } finally {
    wasm.scopedAllocPop(scope);
  }
}

function fill({ capi, wasm }: Engine['sqlite'], handle: number, bytes: Uint8Array): void {
  const size = bytes.byteLength;
  // From here on SQLite owns the copy, even if it rejects it.
  const copy = wasm.alloc(size);
  wasm.heap8u().set(bytes, copy);
  const owned = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE;
  if (capi.sqlite3_deserialize(handle, 'main', copy, size, size, owned) === capi.SQLITE_OK) return;
  throw new SqlError('the bytes are no SQLite database', 'SQLITE_NOTADB');
}

/** Open database that prepares and steps statements, enforcing limits and permissions. */
export class Connection {
  readonly touched: TouchedTables = { read: new Set(), written: new Set() };
  /** Line of the script at which the open transaction began; null if none is open. */
  openSince: number | null = null;
  private statements = 0;
  private steps = 0;
  private refusal: string | null = null;
  private skipping: string | null = null;
  /** Pragmas of scripts that were skipped, each with its line. */
  readonly skipped: { pragma: string; line: number }[] = [];
  private closed = false;

  constructor(
    readonly engine: Engine,
    readonly handle: number,
    private readonly options: ConnectionOptions,
  ) {}

  /** Sets limits and guards; also reads the first page, which fails if the bytes are no database. */
  configure(): void {
    const { capi } = this.engine.sqlite;
    const { handle } = this;
    const { limits, foreignKeys, writesSchema } = this.options;
    const pageBytes = this.number('PRAGMA page_size');
    this.number(`PRAGMA max_page_count=${Math.max(1, Math.floor(limits.bytes / pageBytes))}`);
    this.number('PRAGMA schema_version');
    capi.sqlite3_db_config(handle, capi.SQLITE_DBCONFIG_DEFENSIVE, writesSchema ? 0 : 1, 0);
    capi.sqlite3_db_config(handle, capi.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, 0);
    capi.sqlite3_db_config(handle, capi.SQLITE_DBCONFIG_ENABLE_FKEY, foreignKeys ? 1 : 0, 0);
    capi.sqlite3_limit(handle, capi.SQLITE_LIMIT_ATTACHED, 0);
    capi.sqlite3_limit(handle, capi.SQLITE_LIMIT_LENGTH, LARGEST_VALUE_BYTES);
    const notes = {
      refused: (reason: string) => {
        this.refusal ??= reason;
      },
      skipped: (pragma: string) => {
        this.skipping = pragma;
      },
    };
    capi.sqlite3_set_authorizer(handle, authorizer(capi, this.touched, notes, { writesSchema }), 0);
    const look = () => {
      this.steps += STEPS_A_LOOK;
      return this.steps > limits.steps ? 1 : 0;
    };
    capi.sqlite3_progress_handler(handle, STEPS_A_LOOK, look, 0);
  }

  /** Runs work with this database's time and randomness, which depends only on the seed and earlier statements. */
  within<Result>(work: () => Result): Result {
    if (this.closed) throw new SqlError('the database is closed: await every call to it', MISUSE);
    const { now, seed } = this.options;
    this.statements += 1;
    const hash = createHash('sha256').update(`${seed}\n${this.statements}`).digest();
    return this.engine.within({ now, seed: hash }, work);
  }

  /** Prepares a single statement and binds its values. */
  one(sql: string, parameters: SqlParameters, use: (statement: number) => void): void {
    this.within(() =>
      this.inMemory(sql, (text) => {
        const { statement, tail } = this.prepare(text, text.start);
        if (statement === 0) throw new SqlError('there is no statement in the text', MISUSE);
        try {
          this.assertAlone(text, tail);
          bind(this.engine, statement, parameters);
          use(statement);
        } finally {
          this.engine.sqlite.capi.sqlite3_finalize(statement);
        }
      }),
    );
  }

  /** Runs every statement of a text. @throws SqlError with the line. */
  all(sql: string): void {
    const nul = sql.indexOf('\0');
    // SQLite would end the text there and silently ignore the rest.
    if (nul !== -1) {
      const line = lineAt(sql, Buffer.byteLength(sql.slice(0, nul)));
      throw new SqlError('a NUL character stands in the text; write char(0)', MISUSE, line);
    }
    this.within(() =>
      this.inMemory(sql, (text) => {
        for (let start = text.start, tail = -1; ; start = tail) {
          const prepared = this.prepare(text, start);
          tail = prepared.tail;
          if (tail === start) return;
          if (this.skipping !== null)
            this.skipped.push({ pragma: this.skipping, line: lineAt(sql, start - text.start) });
          if (prepared.statement === 0) continue;
          try {
            bind(this.engine, prepared.statement, {});
            this.step(prepared.statement, () => {});
            if (this.engine.sqlite.capi.sqlite3_get_autocommit(this.handle) !== 0) this.openSince = null;
            else this.openSince ??= lineAt(sql, start - text.start);
          } catch (error) {
            throw withLine(error, sql, start - text.start);
          } finally {
            this.engine.sqlite.capi.sqlite3_finalize(prepared.statement);
          }
        }
      }),
    );
  }

  /** Runs a statement to its end. */
  step(
    statement: number,
    take: (cells: SqlCell[]) => void,
    limits: Pick<DatabaseLimits, 'rows' | 'answerBytes'> = this.options.limits,
  ): void {
    const { capi } = this.engine.sqlite;
    const columns = capi.sqlite3_column_count(statement);
    let bytes = 0;
    for (let rows = 1; ; rows += 1) {
      const code = capi.sqlite3_step(statement);
      if (code === capi.SQLITE_DONE) return;
      if (code !== capi.SQLITE_ROW) throw this.fault(code);
      const cells = readCells(this.engine, statement, columns);
      bytes += textBytes(cells);
      if (rows > limits.rows) throw tooLarge(`${limits.rows} rows`);
      if (bytes > limits.answerBytes) throw tooLarge(`${limits.answerBytes} bytes`);
      take(cells);
    }
  }

  close(): void {
    if (this.closed) return;
    const { capi } = this.engine.sqlite;
    this.within(() => {
      capi.sqlite3_progress_handler(this.handle, 0, 0, 0);
      capi.sqlite3_set_authorizer(this.handle, 0 as never, 0);
      capi.sqlite3_close_v2(this.handle);
    });
    this.closed = true;
  }

  private number(sql: string): number {
    let value: SqlCell = null;
    this.one(sql, {}, (statement) =>
      this.step(statement, ([first = null]) => {
        value = first;
      }),
    );
    return Number(value ?? 0);
  }

  private inMemory(sql: string, work: (text: Text) => void): void {
    const { wasm } = this.engine.sqlite;
    const scope = wasm.scopedAllocPush();
    try {
      const start = wasm.scopedAllocCString(sql, false);
      work({ sql, start, outs: wasm.scopedAlloc(2 * POINTER_BYTES) });
    } finally {
      wasm.scopedAllocPop(scope);
    }
  }

  private prepare({ sql, start, outs }: Text, from: number): { statement: number; tail: number } {
    const { capi, wasm } = this.engine.sqlite;
    this.steps = 0;
    this.refusal = null;
    this.skipping = null;
    const code = capi.sqlite3_prepare_v3(this.handle, from, -1, 0, outs, outs + POINTER_BYTES);
    if (code !== capi.SQLITE_OK) {
      const offset = capi.sqlite3_error_offset(this.handle);
      throw withLine(this.fault(code), sql, from - start + Math.max(offset, 0));
    }
    return { statement: Number(wasm.peekPtr(outs)), tail: Number(wasm.peekPtr(outs + POINTER_BYTES)) };
  }

  /** @throws SqlError if more than blanks and comments follow. */
  private assertAlone({ outs }: Text, tail: number): void {
    const { capi, wasm } = this.engine.sqlite;
    const code = capi.sqlite3_prepare_v3(this.handle, tail, -1, 0, outs, outs + POINTER_BYTES);
    const next = Number(wasm.peekPtr(outs));
    capi.sqlite3_finalize(next);
    if (code !== capi.SQLITE_OK || next !== 0) throw new SqlError('only one statement a call is run', MISUSE);
  }

  private fault(code: number): Error {
    const { capi } = this.engine.sqlite;
    const { limits } = this.options;
    const primary = code & 0xff;
    const message = capi.sqlite3_errmsg(this.handle);
    const refusal = this.refusal ?? refusalOfFunction(message);
    if (refusal !== null) return new SqlError(refusal, REFUSED);
    const name = capi.sqlite3_js_rc_str(primary) ?? `SQLITE_${primary}`;
    switch (primary) {
      case capi.SQLITE_NOMEM:
        return new InfrastructureError('SQLite has no memory left');
      case capi.SQLITE_INTERRUPT:
        return new SqlError(
          `stopped after ${limits.steps} steps: the statement needs an index, a LIMIT, or an end`,
          name,
        );
      case capi.SQLITE_FULL:
        return new SqlError(`the database may have no more than ${limits.bytes} bytes`, name);
      default:
        return new SqlError(message, name);
    }
  }
}

function textBytes(cells: readonly SqlCell[]): number {
  return cells.reduce<number>(
    (sum, cell) => sum + (typeof cell === 'string' || cell instanceof Uint8Array ? cell.length : 0),
    0,
  );
}

function tooLarge(most: string): SqlError {
  return new SqlError(`the answer has more than ${most}: narrow it with WHERE or LIMIT`, MISUSE);
}
