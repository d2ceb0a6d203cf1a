import type { BundleRow } from '../bundles/contracts.js';
import { seedDatabase } from '../bundles/seed-database.js';

/** Returns the initial database of a row, as bytes. @throws SqlError */
export async function seededBytes(row: BundleRow): Promise<Uint8Array> {
  const database = await seedDatabase(row);
  try {
    return database.serialize();
  } finally {
    database.close();
  }
}
