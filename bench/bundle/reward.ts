import { defineReward } from 'reprise/bundle';

/** 1 where every number was counted exactly once, which the table's key sees to, and nothing else was. */
export default defineReward(async ({ db, row }) => {
  const { calls } = row.metadata as { calls: number };
  const [{ counted, highest } = {}] = await db.fetchAll(
    'SELECT COUNT(*) AS counted, COALESCE(MAX(number), 0) AS highest FROM counted',
  );
  return { score: counted === calls && highest === calls ? 1 : 0 };
});
