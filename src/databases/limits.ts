/** Limits of a database in its worker. */
export interface DatabaseLimits {
  /** Steps of SQLite's virtual machine that one statement may take; 20 million take a few seconds. */
  steps: number;
  /** Bytes of the whole database. */
  bytes: number;
  /** Rows of one result. */
  rows: number;
  /** Bytes of the texts and BLOBs of one result. */
  answerBytes: number;
}

export const DATABASE_LIMITS: DatabaseLimits = {
  steps: 20_000_000,
  bytes: 64 * 1024 * 1024,
  rows: 100_000,
  answerBytes: 16 * 1024 * 1024,
};

export const LARGEST_VALUE_BYTES = 16 * 1024 * 1024;

/** Limits for reading a whole database, whose size is bounded itself. */
export const UNLIMITED_ANSWER: Pick<DatabaseLimits, 'rows' | 'answerBytes'> = {
  rows: Number.POSITIVE_INFINITY,
  answerBytes: Number.POSITIVE_INFINITY,
};
