import { SqliteDatabase } from '../../../databases/sqlite-database.js';
import type { BundleRow } from './contracts.js';
import { isOfLostSchema } from './lost-schema.js';
import { goalHolds } from './reward.js';

/**
 * Reports whether a row's goal holds in a database; null if it has none.
 * @param seed reads the database at the start: a goal that reads what was dropped since then does not hold.
 * @throws SqlError or TypeError if it cannot be evaluated.
 */
export async function goalIn(
  bytes: Uint8Array,
  { end_goal_sql, now }: Pick<BundleRow, 'end_goal_sql' | 'now'>,
  seed: () => Promise<Uint8Array>,
): Promise<boolean | null> {
  if (end_goal_sql === null) return null;
  const opened: SqliteDatabase[] = [];
  const open = async (version: Uint8Array) => {
    const db = await SqliteDatabase.open(version, { now: Date.parse(now), seed: 'goal', readOnly: true });
    opened.push(db);
    return db;
  };
  try {
    return await goalHolds(await open(bytes), end_goal_sql);
  } catch (error) {
    if (await isOfLostSchema(error, async () => open(await seed()))) return false;
    throw error;
  } finally {
    for (const db of opened) db.close();
  }
}
