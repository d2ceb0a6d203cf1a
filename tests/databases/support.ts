import { onTestFinished } from 'vitest';
import { type DatabaseOptions, SqliteDatabase } from '../../src/databases/sqlite-database.js';

export const NOW = Date.UTC(2026, 2, 2, 9, 30, 15);

/** A database in memory, closed when the test is over. */
export async function database(
  options: Partial<DatabaseOptions> = {},
  bytes: Uint8Array | null = null,
): Promise<SqliteDatabase> {
  const opened = await SqliteDatabase.open(bytes, { now: NOW, seed: 'test', ...options });
  onTestFinished(() => opened.close());
  return opened;
}

export async function filled(
  script: string,
  options: Partial<DatabaseOptions> = {},
): Promise<SqliteDatabase> {
  const opened = await database(options);
  await opened.executeScript(script);
  return opened;
}
