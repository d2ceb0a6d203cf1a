/**
 * Error of a statement that SQLite did not run, or that is forbidden here. The message is for the statement's author.
 */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  /** SQLite's name of the result code, such as `SQLITE_CONSTRAINT`; `REFUSED` for a forbidden statement. */
  readonly code: string;
  /** Line within the text that was run, from 1; null if SQLite does not know it. */
  readonly line: number | null;
  /** The text that was run, where its line is known. */
  readonly sql: string | null;

  constructor(message: string, code: string, line: number | null = null, sql: string | null = null) {
    super(message);
    this.code = code;
    this.line = line;
    this.sql = sql;
  }
}

export const REFUSED = 'REFUSED';

export function refused(message: string): SqlError {
  return new SqlError(message, REFUSED);
}

/** Returns the error with the text and the line of a byte offset in it; any other error unchanged. */
export function withLine(error: unknown, sql: string, offset: number): unknown {
  if (!(error instanceof SqlError) || error.line !== null) return error;
  return new SqlError(error.message, error.code, lineAt(sql, offset), sql);
}

/** Returns the line, from 1, of the first non-blank character at or after a byte offset of a text. */
export function lineAt(sql: string, offset: number): number {
  const bytes = Buffer.from(sql);
  const blanks = /^\s*/.exec(bytes.subarray(offset).toString())?.[0] ?? '';
  const before = bytes.subarray(0, offset).toString() + blanks;
  return before.split('\n').length;
}
