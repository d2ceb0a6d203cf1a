import type { BundleRow } from '../bundles/contracts.js';
import { seedDatabase } from '../bundles/seed-database.js';

/** A row's database before anything has happened, as bytes. @throws SqlError */
export async function seededBytes(row: BundleRow): Promise<Uint8Array> {
  const database = await seedDatabase(row);
  try {
    return database.serialize();
  } finally {
    database.close();
  }
}
