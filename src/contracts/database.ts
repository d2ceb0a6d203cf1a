/** Value given to a statement. `true` and `false` become 1 and 0; bytes become a BLOB. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array;

/** Values by name, written `:name`, `@name` or `$name` in the statement; the keys are without the sign. */
export type SqlParameters = Readonly<Record<string, SqlValue>>;

/** Value in the result of a statement. An integer beyond 2^53 is decimal text. */
export type SqlResult = string | number | null | Uint8Array;

export type SqlRow = Record<string, SqlResult>;

/**
 * Database of a rollout, as tools and rewards see it: SQLite, one statement a call. Each method rejects with an
 * `SqlError` whose message describes the error in the statement.
 */
export interface Database {
  /** Returns all rows, in the statement's order. */
  fetchAll<Row extends SqlRow = SqlRow>(sql: string, parameters?: SqlParameters): Promise<Row[]>;
  /** Returns the first column of the first row; `null` if there is no row. */
  fetchValue<Value extends SqlResult = SqlResult>(
    sql: string,
    parameters?: SqlParameters,
  ): Promise<Value | null>;
  /** Runs a statement that changes data; `changes` counts the changed rows, without those of triggers. */
  execute(sql: string, parameters?: SqlParameters): Promise<{ changes: number }>;
}
