import { type Database, defineReward, goalHolds, type SqlRow } from 'reprise/bundle';

/** What a row says of itself in its metadata. */
interface Expected {
  customer: string;
  /** Bookings of the seed that the task is about; all others stay as they are. */
  touches?: string[];
  /** New bookings that are not cancelled at the end. */
  new_bookings?: number;
  /** Wishes that are declined. */
  declined?: number;
}

const BOOKINGS = 'SELECT id, customer_id, flight_id, fare, status, price_cents FROM bookings ORDER BY id';

/** Bookings of the seed that changed though the task is not about them. */
async function wronglyTouched(db: Database, seed: Database, touches: readonly string[]): Promise<string[]> {
  const now = new Map((await db.fetchAll(BOOKINGS)).map((booking) => [booking.id, JSON.stringify(booking)]));
  const changed = (booking: SqlRow) => now.get(booking.id as string) !== JSON.stringify(booking);
  const before = await seed.fetchAll(BOOKINGS);
  return before
    .filter((booking) => changed(booking) && !touches.includes(String(booking.id)))
    .map(({ id }) => String(id));
}

/** Customers whose wallets changed though they have not asked for anything. */
async function wronglyCharged(db: Database, seed: Database, customer: string): Promise<string[]> {
  const wallets = 'SELECT id, wallet_cents FROM customers WHERE id <> :customer ORDER BY id';
  const now = new Map(
    (await db.fetchAll(wallets, { customer })).map(({ id, wallet_cents }) => [id, wallet_cents]),
  );
  const before = await seed.fetchAll(wallets, { customer });
  return before.filter(({ id, wallet_cents }) => now.get(id) !== wallet_cents).map(({ id }) => String(id));
}

/** 1 where the goal is reached and nothing else has happened, else 0: a wrong booking is not half right. */
export default defineReward(async ({ db, seed, row }) => {
  const { customer, touches = [], new_bookings = 0, declined = 0 } = row.metadata as unknown as Expected;
  const reached = await goalHolds(db, row.end_goal_sql ?? 'SELECT 0');
  const known = (await seed.fetchAll(BOOKINGS)).map(({ id }) => id);
  const made = (await db.fetchAll(BOOKINGS)).filter(
    ({ id, status }) => !known.includes(id) && status !== 'cancelled',
  );
  const refusals = await db.fetchValue<number>('SELECT COUNT(*) FROM declined');
  const faults = [
    ...(reached ? [] : ['the goal is not reached']),
    ...(await wronglyTouched(db, seed, touches)).map((id) => `booking ${id} was changed`),
    ...(await wronglyCharged(db, seed, customer)).map((id) => `the wallet of ${id} was changed`),
    ...(made.length === new_bookings ? [] : [`${made.length} new bookings in place of ${new_bookings}`]),
    ...(refusals === declined ? [] : [`${refusals} wishes were declined in place of ${declined}`]),
  ];
  const clean = faults.every((fault) => fault === 'the goal is not reached');
  return {
    score: faults.length === 0 ? 1 : 0,
    reason: faults.length === 0 ? 'done as the policy says' : faults.join('; '),
    metrics: {
      goal: { score: reached ? 1 : 0, reason: row.id },
      nothing_else: { score: clean ? 1 : 0, reason: clean ? '' : faults.join('; ') },
    },
  };
});
