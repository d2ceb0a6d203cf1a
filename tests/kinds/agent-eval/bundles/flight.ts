import {
  type BundleRow,
  defineReward,
  goalHolds,
  type RewardAnswer,
  type ToolContext,
  ToolRegistry,
  z,
} from '../../../../src/kinds/agent-eval/bundles/index.js';
import type { Bundle } from '../../../../src/kinds/agent-eval/bundles/load.js';
import { NOW } from './support.js';

export const SEED = `CREATE TABLE flights (id INTEGER PRIMARY KEY, day TEXT, price INTEGER);
CREATE TABLE bookings (id TEXT PRIMARY KEY, flight INTEGER REFERENCES flights(id), status TEXT);
INSERT INTO flights VALUES (1, '2026-03-03', 90), (2, '2026-03-03', 80), (3, '2026-03-04', 10);
`;

/** The cheapest flight of tomorrow, booked and paid. */
export const FLIGHT_ROW: BundleRow = {
  id: 'flight.booking.001',
  seed_sql: SEED,
  end_goal_sql: "SELECT COUNT(*) = 1 FROM bookings WHERE flight = 2 AND status = 'paid'",
  initial_messages: [{ role: 'user', content: 'Book me the cheapest flight on 2026-03-03.' }],
  sim_user_prompt: 'You are Alice.',
  toolset: './tools.ts',
  n_rollouts: 1,
  max_turns: 30,
  stop_at_goal: false,
  tools_allowed: null,
  metadata: {},
  oracle: [
    { tool: 'search', arguments: { day: '2026-03-03' } },
    { tool: 'book', arguments: { flight: '{{result.0.0.id}}' } },
    { tool: 'pay', arguments: { booking_id: '{{result.1.booking_id}}' } },
  ],
  now: NOW,
};

export interface OddParts {
  bookingId: (context: ToolContext) => Promise<string | null>;
  payReadOnly: boolean;
  pay: () => void;
  reward: () => RewardAnswer;
}

/** A bundle that was not loaded from files, with what a test wants otherwise. */
export function flightBundle(
  rows: Partial<BundleRow>[] = [{}],
  odd: Partial<OddParts> = {},
  place: { toolsFile: string; seedFile?: string } = { toolsFile: new URL(import.meta.url).pathname },
): Bundle {
  const registry = new ToolRegistry('flight_tools');
  const day = z.object({ day: z.string() });
  registry.tool('search', { description: 'Flights.', parameters: day, readOnly: true }, ({ day }, { db }) =>
    db.fetchAll('SELECT id, price FROM flights WHERE day = :day ORDER BY price', { day }),
  );
  const flight = z.object({ flight: z.int() });
  registry.tool('book', { description: 'Book.', parameters: flight }, async ({ flight }, context) => {
    const random = () => context.db.fetchValue<string>('SELECT lower(hex(randomblob(4)))');
    const booking_id = await (odd.bookingId ?? random)(context);
    const into = "INSERT INTO bookings VALUES (:booking_id, :flight, 'reserved')";
    await context.db.execute(into, { booking_id, flight });
    return { booking_id };
  });
  const pay = {
    description: 'Pay.',
    parameters: z.object({ booking_id: z.string() }),
    readOnly: odd.payReadOnly,
  };
  registry.tool('pay', pay, async ({ booking_id }, { db }) => {
    odd.pay?.();
    const sql = "UPDATE bookings SET status = 'paid' WHERE id = :booking_id";
    if ((await db.execute(sql, { booking_id })).changes === 0) throw new Error('no such booking');
  });
  const goal = defineReward(async ({ db, row }) => {
    const done = await goalHolds(db, row.end_goal_sql ?? 'SELECT 0');
    return { score: done ? 1 : 0, reason: done ? 'done' : 'not done' };
  });
  return {
    folder: '/flights',
    file: '/flights/task.jsonl',
    reward: odd.reward === undefined ? goal : defineReward(odd.reward),
    rows: rows.map((fields, index) => ({
      row: { ...FLIGHT_ROW, ...fields },
      line: index + 1,
      seedFile: place.seedFile ?? null,
      registry,
      toolsFile: place.toolsFile,
    })),
  };
}
