import type { SqlParameters, SqlResult, SqlRow, SqlValue } from '../contracts/database.js';
import type { Engine } from './engine.js';
import { SqlError } from './sql-error.js';

/** Value exactly as SQLite holds it: integers as `bigint`, reals as `number`. */
export type SqlCell = string | number | bigint | null | Uint8Array;

export const MISUSE = 'MISUSE';

/** Decoder that keeps a byte order mark, which is part of the value. */
const TEXT = new TextDecoder('utf-8', { ignoreBOM: true });

function misuse(message: string): SqlError {
  return new SqlError(message, MISUSE);
}

/**
 * Binds a value to every parameter of a statement.
 * @throws SqlError that names a parameter without a value, a value without a parameter, or a value that cannot be
 * bound.
 */
export function bind({ sqlite }: Engine, statement: number, parameters: SqlParameters): void {
  const { capi } = sqlite;
  const unused = new Set(Object.keys(parameters));
  const count = capi.sqlite3_bind_parameter_count(statement);
  for (let index = 1; index <= count; index += 1) {
    const written = capi.sqlite3_bind_parameter_name(statement, index);
    if (written === null || written.startsWith('?')) {
      throw misuse('parameters are named: write :name in place of ?');
    }
    const name = written.slice(1);
    if (!Object.hasOwn(parameters, name) || parameters[name] === undefined) {
      throw misuse(`the parameter ${written} has no value`);
    }
    bindValue(sqlite, statement, index, written, parameters[name]);
    unused.delete(name);
  }
  const [extra] = unused;
  if (extra !== undefined) throw misuse(`the statement has no parameter :${extra}`);
}

type Sqlite = Engine['sqlite'];

function bindValue(sqlite: Sqlite, statement: number, index: number, name: string, value: SqlValue): void {
  const { capi } = sqlite;
  const code = (() => {
    if (value === null) return capi.sqlite3_bind_null(statement, index);
    if (value instanceof Uint8Array) {
      return capi.sqlite3_bind_blob(statement, index, ...inMemory(sqlite, value), capi.SQLITE_TRANSIENT);
    }
    switch (typeof value) {
      case 'string':
        // The package's own conversion of a text fails in strict mode (3.54.1).
        return capi.sqlite3_bind_text(
          statement,
          index,
          ...inMemory(sqlite, new TextEncoder().encode(value)),
          capi.SQLITE_TRANSIENT,
        );
      case 'boolean':
        return capi.sqlite3_bind_int(statement, index, value ? 1 : 0);
      case 'number':
        if (Number.isNaN(value)) throw misuse(`the parameter ${name} must be a number, not NaN`);
        return Number.isSafeInteger(value)
          ? capi.sqlite3_bind_int64(statement, index, BigInt(value))
          : capi.sqlite3_bind_double(statement, index, value);
      case 'bigint':
        if (BigInt.asIntN(64, value) !== value) throw misuse(`the parameter ${name} has more than 64 bits`);
        return capi.sqlite3_bind_int64(statement, index, value);
      default:
        throw misuse(
          `the parameter ${name} must be a text, number, boolean, null or bytes, not ${Array.isArray(value) ? 'a list' : `of type ${typeof value}`}`,
        );
    }
  })();
  // Binding NULL returns undefined.
  if (code !== undefined && code !== capi.SQLITE_OK) throw misuse(`the parameter ${name} is too large`);
}

/** Copies bytes into the engine's memory, until the statement's scope ends. */
function inMemory({ wasm }: Sqlite, bytes: Uint8Array): [address: number, length: number] {
  const address = wasm.scopedAlloc(Math.max(1, bytes.byteLength));
  wasm.heap8u().set(bytes, address);
  return [address, bytes.byteLength];
}

/** Returns the values of the current row, by position. */
export function readCells({ sqlite }: Engine, statement: number, columns: number): SqlCell[] {
  const { capi, wasm } = sqlite;
  const bytesOf = (column: number, from: number) => {
    const length = capi.sqlite3_column_bytes(statement, column);
    // A copy, since the engine's memory moves when it grows.
    return wasm.heap8u().slice(from, from + length);
  };
  return Array.from({ length: columns }, (_, column): SqlCell => {
    switch (capi.sqlite3_column_type(statement, column)) {
      case capi.SQLITE_INTEGER:
        return capi.sqlite3_column_int64(statement, column);
      case capi.SQLITE_FLOAT:
        return capi.sqlite3_column_double(statement, column);
      case capi.SQLITE_NULL:
        return null;
      case capi.SQLITE_TEXT:
        return TEXT.decode(bytesOf(column, capi.sqlite3_column_blob(statement, column)));
      default:
        return bytesOf(column, capi.sqlite3_column_blob(statement, column));
    }
  });
}

/**
 * Returns the names of a statement's columns.
 * @throws SqlError if two are the same, because a row could hold only one of them.
 */
export function columnNames({ sqlite }: Engine, statement: number): string[] {
  const { capi } = sqlite;
  const count = capi.sqlite3_column_count(statement);
  const names = Array.from({ length: count }, (_, column) => capi.sqlite3_column_name(statement, column));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw misuse(`two columns are named '${twice}': give one another name with AS`);
  return names;
}

/** Converts a cell to a value that a database's methods return. */
export function sqlResult(cell: SqlCell): SqlResult {
  if (typeof cell !== 'bigint') return cell;
  const number = Number(cell);
  return Number.isSafeInteger(number) ? number : cell.toString();
}

export function sqlRow(names: readonly string[], cells: readonly SqlCell[]): SqlRow {
  // fromEntries defines its keys, so that a column named __proto__ stays data.
  return Object.fromEntries(names.map((name, index) => [name, sqlResult(cells[index] ?? null)]));
}
