import type { BundleRow } from '../contracts/bundle.js';
import { SqliteDatabase } from '../databases/sqlite-database.js';

/**
 * A row's database before anything has happened. The same row gives the same bytes.
 * @throws SqlError with the line of the seed.
 */
export async function seedDatabase(row: Pick<BundleRow, 'id' | 'seed_sql' | 'now'>): Promise<SqliteDatabase> {
  const database = await SqliteDatabase.open(null, {
    now: Date.parse(row.now),
    seed: `${row.id}/seed`,
    // A seed may fill its tables in any order.
    foreignKeys: false,
  });
  try {
    await database.executeScript(row.seed_sql);
    database.assertSettled();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
