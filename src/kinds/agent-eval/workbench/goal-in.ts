import { SqliteDatabase } from '../../../databases/sqlite-database.js';
import type { BundleRow } from '../bundles/contracts.js';
import { isOfLostSchema } from '../bundles/lost-schema.js';
import { goalHolds } from '../bundles/reward.js';

/**
 * Reports whether a row's goal holds in a database; null if it has none.
 * @param seed the database at the start: a goal that reads what was dropped since then does not hold.
 * @throws SqlError or TypeError if it cannot be evaluated.
 */
export async function goalIn(
  bytes: Uint8Array,
  { end_goal_sql, now }: Pick<BundleRow, 'end_goal_sql' | 'now'>,
  seed: Uint8Array,
): Promise<boolean | null> {
  if (end_goal_sql === null) return null;
  const options = { now: Date.parse(now), seed: 'goal', readOnly: true };
  const db = await SqliteDatabase.open(bytes, options);
  const before = await SqliteDatabase.open(seed, options);
  try {
    return await goalHolds(db, end_goal_sql);
  } catch (error) {
    if (await isOfLostSchema(error, before, db)) return false;
    throw error;
  } finally {
    before.close();
    db.close();
  }
}
