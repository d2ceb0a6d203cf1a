import { SqliteDatabase } from '../../../databases/sqlite-database.js';
import type { BundleRow } from '../bundles/contracts.js';
import { goalHolds } from '../bundles/reward.js';

/**
 * Reports whether a row's goal holds in a database; null if it has none.
 * @throws SqlError or TypeError if it cannot be evaluated.
 */
export async function goalIn(
  bytes: Uint8Array,
  { end_goal_sql, now }: Pick<BundleRow, 'end_goal_sql' | 'now'>,
): Promise<boolean | null> {
  if (end_goal_sql === null) return null;
  const db = await SqliteDatabase.open(bytes, { now: Date.parse(now), seed: 'goal', readOnly: true });
  try {
    return await goalHolds(db, end_goal_sql);
  } finally {
    db.close();
  }
}
