/** A statement that SQLite did not run, or that is not allowed here. The message is for whoever wrote the statement. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  /** SQLite's name of the result, such as `SQLITE_CONSTRAINT`; `REFUSED` for what is not allowed. */
  readonly code: string;
  /** Line within the text that was run, from 1, where SQLite knows it. */
  readonly line: number | null;

  constructor(message: string, code: string, line: number | null = null) {
    super(message);
    this.code = code;
    this.line = line;
  }
}

export const REFUSED = 'REFUSED';

export function refused(message: string): SqlError {
  return new SqlError(message, REFUSED);
}

/** The error with the line that a byte offset of the text lies on; any other error as it is. */
export function withLine(error: unknown, sql: string, offset: number): unknown {
  if (!(error instanceof SqlError) || error.line !== null) return error;
  return new SqlError(error.message, error.code, lineAt(sql, offset));
}

/** The line, from 1, of what stands at a byte offset of a text or next after it. */
export function lineAt(sql: string, offset: number): number {
  const bytes = Buffer.from(sql);
  const blanks = /^\s*/.exec(bytes.subarray(offset).toString())?.[0] ?? '';
  const before = bytes.subarray(0, offset).toString() + blanks;
  return before.split('\n').length;
}
