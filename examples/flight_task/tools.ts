import { type Database, type SqlRow, ToolRegistry, z } from 'reprise/bundle';
import { dollars } from './money.js';
import { POLICY } from './policy.js';

export const tools = new ToolRegistry('flight_tools');

type Fare = 'light' | 'flex';

interface Booking extends SqlRow {
  id: string;
  customer_id: string;
  flight_id: string;
  fare: Fare;
  status: 'reserved' | 'paid' | 'cancelled';
  price_cents: number;
}

const bookingId = z.string().describe('Such as B2001');
const customerId = z.string().describe('Such as C101');

tools.tool(
  'read_policy',
  { description: 'The rules of the desk. Read them first.', parameters: z.object({}), readOnly: true },
  () => POLICY,
);

tools.tool(
  'find_customer',
  {
    description: 'A customer with tier, wallet and all bookings.',
    parameters: z.object({ customer_id: customerId }),
    readOnly: true,
  },
  async ({ customer_id }, { db }) => {
    const [customer] = await db.fetchAll('SELECT * FROM customers WHERE id = :customer_id', { customer_id });
    if (customer === undefined) throw new Error(`there is no customer ${customer_id}`);
    const bookings = await db.fetchAll(
      `SELECT b.id, b.flight_id, f.origin, f.destination, f.departs, b.fare, b.status, b.price_cents, b.booked_at
       FROM bookings b JOIN flights f ON f.id = b.flight_id WHERE b.customer_id = :customer_id ORDER BY b.id`,
      { customer_id },
    );
    return { ...customer, bookings };
  },
);

tools.tool(
  'search_flights',
  {
    description: 'All flights of a route on a day, full ones too (seats 0), in the order of departure.',
    parameters: z.object({
      origin: z.string().length(3).describe('Airport code'),
      destination: z.string().length(3).describe('Airport code'),
      day: z.iso.date(),
    }),
    readOnly: true,
  },
  async (route, { db }) =>
    db.fetchAll(
      `SELECT id, departs, arrives, light_cents, flex_cents, seats FROM flights
       WHERE origin = upper(:origin) AND destination = upper(:destination) AND date(departs) = :day ORDER BY departs`,
      route,
    ),
);

tools.tool(
  'create_booking',
  {
    description: 'Reserve a seat. The booking must then be paid.',
    parameters: z.object({
      customer_id: customerId,
      flight_id: z.string().describe('Such as HA101'),
      fare: z.enum(['light', 'flex']),
    }),
  },
  async ({ customer_id, flight_id, fare }, { db }) => {
    const price_cents = await takeSeat(db, flight_id, fare);
    const booking_id = await db.fetchValue<string>("SELECT 'N' || hex(randomblob(3))");
    await db.execute(
      "INSERT INTO bookings VALUES (:booking_id, :customer_id, :flight_id, :fare, 'reserved', :price_cents, datetime('now'))",
      { booking_id, customer_id, flight_id, fare, price_cents },
    );
    return { booking_id, price: dollars(price_cents) };
  },
);

tools.tool(
  'pay_booking',
  {
    description: 'Pay a reserved booking from the wallet of its customer.',
    parameters: z.object({ booking_id: bookingId }),
  },
  async ({ booking_id }, { db }) => {
    const { customer_id, status, price_cents } = await findBooking(db, booking_id);
    if (status !== 'reserved') throw new Error(`${booking_id} is ${status}`);
    await charge(db, booking_id, customer_id, price_cents);
    await db.execute("UPDATE bookings SET status = 'paid' WHERE id = :booking_id", { booking_id });
    return { paid: dollars(price_cents) };
  },
);

tools.tool(
  'cancel_booking',
  {
    description: 'Cancel a booking and free its seat, with or without a refund of what was paid.',
    parameters: z.object({ booking_id: bookingId, refund: z.boolean() }),
  },
  async ({ booking_id, refund }, { db }) => {
    const { customer_id, flight_id, status, price_cents } = await findBooking(db, booking_id);
    if (status === 'cancelled') throw new Error(`${booking_id} is cancelled already`);
    const refunded = refund && status === 'paid' ? price_cents : 0;
    if (refunded > 0) await charge(db, booking_id, customer_id, -refunded);
    await db.execute('UPDATE flights SET seats = seats + 1 WHERE id = :flight_id', { flight_id });
    await db.execute("UPDATE bookings SET status = 'cancelled' WHERE id = :booking_id", { booking_id });
    return { cancelled: booking_id, refunded: dollars(refunded) };
  },
);

tools.tool(
  'change_booking',
  {
    description: 'Move a paid booking to another flight in the same fare; the wallet settles the difference.',
    parameters: z.object({ booking_id: bookingId, flight_id: z.string().describe('Such as HA603') }),
  },
  async ({ booking_id, flight_id }, { db }) => {
    const booking = await findBooking(db, booking_id);
    if (booking.status !== 'paid') throw new Error(`${booking_id} is ${booking.status}`);
    if (booking.flight_id === flight_id) throw new Error(`${booking_id} is on ${flight_id} already`);
    const price_cents = await takeSeat(db, flight_id, booking.fare);
    const difference = price_cents - booking.price_cents;
    if (difference !== 0) await charge(db, booking_id, booking.customer_id, difference);
    await db.execute('UPDATE flights SET seats = seats + 1 WHERE id = :from', { from: booking.flight_id });
    await db.execute(
      'UPDATE bookings SET flight_id = :flight_id, price_cents = :price_cents WHERE id = :booking_id',
      {
        booking_id,
        flight_id,
        price_cents,
      },
    );
    return { flight_id, difference: dollars(difference) };
  },
);

tools.tool(
  'decline_request',
  {
    description: 'Record, once, that a wish of a customer is declined, and why.',
    parameters: z.object({
      customer_id: customerId,
      reason: z.enum(['not_refundable', 'not_changeable', 'departed', 'not_their_booking', 'no_such_flight']),
    }),
  },
  async ({ customer_id, reason }, { db }) => {
    await db.execute('INSERT INTO declined VALUES (:customer_id, :reason)', { customer_id, reason });
    return { declined: reason };
  },
);

async function findBooking(db: Database, booking_id: string): Promise<Booking> {
  const [booking] = await db.fetchAll<Booking>('SELECT * FROM bookings WHERE id = :booking_id', {
    booking_id,
  });
  if (booking === undefined) throw new Error(`there is no booking ${booking_id}`);
  return booking;
}

/** Takes a seat of a flight; answers its price in cents. */
async function takeSeat(db: Database, flight_id: string, fare: Fare): Promise<number> {
  const price = fare === 'flex' ? 'flex_cents' : 'light_cents';
  const [flight] = await db.fetchAll<{ cents: number; seats: number }>(
    `SELECT ${price} AS cents, seats FROM flights WHERE id = :flight_id`,
    { flight_id },
  );
  if (flight === undefined) throw new Error(`there is no flight ${flight_id}`);
  if (flight.seats === 0) throw new Error(`${flight_id} is full`);
  await db.execute('UPDATE flights SET seats = seats - 1 WHERE id = :flight_id', { flight_id });
  return flight.cents;
}

/** Takes an amount from a wallet, or gives it where it is negative. */
async function charge(db: Database, booking_id: string, customer_id: string, cents: number): Promise<void> {
  const sql =
    'UPDATE customers SET wallet_cents = wallet_cents - :cents WHERE id = :customer_id AND wallet_cents >= :cents';
  const { changes } = await db.execute(sql, { cents, customer_id });
  if (changes === 0) throw new Error(`the wallet of ${customer_id} holds less than ${dollars(cents)}`);
  await db.execute("INSERT INTO payments VALUES (:booking_id, :cents, datetime('now'))", {
    booking_id,
    cents,
  });
}
