/** A value given to a statement. `true` and `false` become 1 and 0; bytes become a BLOB. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array;

/** Values by name, written `:name`, `@name` or `$name` in the statement; the keys are without the sign. */
export type SqlParameters = Readonly<Record<string, SqlValue>>;

/** A value that a statement answers with. An integer beyond 2^53 comes as decimal text. */
export type SqlResult = string | number | null | Uint8Array;

export type SqlRow = Record<string, SqlResult>;

/**
 * The database of a rollout, as tools and rewards see it: SQLite, one statement a call.
 * Each method rejects with an `SqlError` whose message names what is wrong with the statement.
 */
export interface Database {
  /** All rows, in the statement's order. */
  fetchAll<Row extends SqlRow = SqlRow>(sql: string, parameters?: SqlParameters): Promise<Row[]>;
  /** The first column of the first row; `null` where there is no row. */
  fetchValue<Value extends SqlResult = SqlResult>(
    sql: string,
    parameters?: SqlParameters,
  ): Promise<Value | null>;
  /** Runs a statement that changes something; `changes` counts the rows that it changed, without those of triggers. */
  execute(sql: string, parameters?: SqlParameters): Promise<{ changes: number }>;
}
