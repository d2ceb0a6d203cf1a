import { type Database, defineReward, goalHolds } from 'reprise/bundle';

/** What a row says of itself in its metadata. */
interface Expected {
  /** Orders and items that the task is about; all others stay as they are. */
  touches?: string[];
  /** Cents that are refunded and charged, of all orders together. */
  refunded?: number;
  charged?: number;
  /** Wishes that are declined. */
  declined?: number;
}

const ROWS = `SELECT id, json_array(status, address) AS content FROM orders
  UNION ALL SELECT id, json_array(order_id, variant_id, units, price_cents, state) FROM items ORDER BY 1`;

/** Orders and items that changed though the task is not about them. */
async function wronglyTouched(db: Database, seed: Database, touches: readonly string[]): Promise<string[]> {
  const now = new Map((await db.fetchAll(ROWS)).map(({ id, content }) => [id, content]));
  const before = await seed.fetchAll(ROWS);
  return before
    .filter(({ id, content }) => now.get(id) !== content && !touches.includes(String(id)))
    .map(({ id }) => String(id));
}

async function sum(db: Database, table: 'refunds' | 'charges'): Promise<number> {
  return (await db.fetchValue<number>(`SELECT coalesce(sum(amount_cents), 0) FROM ${table}`)) ?? 0;
}

/** 1 where the goal is reached and nothing else has happened, else 0: a refund too many is not half right. */
export default defineReward(async ({ db, seed, row }) => {
  const expected = row.metadata as unknown as Expected;
  const { touches = [], refunded = 0, charged = 0, declined = 0 } = expected;
  const reached = await goalHolds(db, row.end_goal_sql ?? 'SELECT 0');
  const [refunds, charges] = [await sum(db, 'refunds'), await sum(db, 'charges')];
  const refusals = await db.fetchValue<number>('SELECT COUNT(*) FROM declined');
  const harm = [
    ...(await wronglyTouched(db, seed, touches)).map((id) => `${id} was changed`),
    ...(refunds === refunded ? [] : [`${refunds} cents were refunded in place of ${refunded}`]),
    ...(charges === charged ? [] : [`${charges} cents were charged in place of ${charged}`]),
    ...(refusals === declined ? [] : [`${refusals} wishes were declined in place of ${declined}`]),
  ];
  const faults = [...(reached ? [] : ['the goal is not reached']), ...harm];
  return {
    score: faults.length === 0 ? 1 : 0,
    reason: faults.length === 0 ? 'done as the policy says' : faults.join('; '),
    metrics: {
      goal: { score: reached ? 1 : 0, reason: row.id },
      nothing_else: { score: harm.length === 0 ? 1 : 0, reason: harm.join('; ') },
    },
  };
});
