import { beforeAll, describe, expect, test } from 'vitest';
import { checkBundle } from '../../../../src/kinds/agent-eval/bundles/check.js';
import { call, MISSED, ShippedBundle, type WrongRollout } from './shipped.js';

const FOLDER = 'examples/flight_task';
const IDS = [
  'flight.book.001',
  'flight.book.002',
  'flight.book.003',
  'flight.book.004',
  'flight.book.005',
  'flight.book.006',
  'flight.book.007',
  'flight.cancel.001',
  'flight.cancel.002',
  'flight.cancel.003',
  'flight.cancel.004',
  'flight.cancel.005',
  'flight.cancel.006',
  'flight.change.001',
  'flight.change.002',
  'flight.change.003',
];

let flights: ShippedBundle;
beforeAll(async () => {
  flights = await ShippedBundle.load(FOLDER);
});

test('the rows are the ones that are tried here', () => {
  expect(flights.ids).toEqual(IDS);
});

test.each(IDS)('%s is proven solvable, and nothing is wrong with it', async (id) => {
  const { proven_solvable, findings } = await checkBundle(flights.bundle, [id]);
  expect({ proven_solvable, findings }).toEqual({ proven_solvable: 1, findings: [] });
});

test.each(['2026-01-31T23:59:59Z', '2028-02-28T00:00:00Z'])(
  'the first row is the same task on %s',
  async (now) => {
    const { bundle } = await ShippedBundle.load(FOLDER, new Date(now).toISOString());
    const report = await checkBundle(bundle, ['flight.book.001', 'flight.cancel.003']);
    expect(report).toMatchObject({ proven_solvable: 2, findings: [] });
  },
);

test.each(IDS)('%s gives nothing for doing nothing', async (id) => {
  expect(await flights.reward(id, [{ say: 'Of course, it is done!' }])).toMatchObject({ score: 0 });
});

const book = (customer_id: string, flight_id: string, fare = 'light') =>
  call('create_booking', { customer_id, flight_id, fare });
const pay = (action: number) => call('pay_booking', { booking_id: `{{result.${action}.booking_id}}` });
const cancel = (booking_id: string, refund = true) => call('cancel_booking', { booking_id, refund });
const change = (booking_id: string, flight_id: string) => call('change_booking', { booking_id, flight_id });
const decline = (customer_id: string, reason: string) => call('decline_request', { customer_id, reason });

const WRONG: WrongRollout[] = [
  ['book.001', 'the cheapest of the day, in the afternoon', [book('C101', 'HA109'), pay(0)], MISSED],
  ['book.001', 'a morning flight that is not the cheapest', [book('C101', 'HA101'), pay(0)], MISSED],
  ['book.001', 'the dearer fare', [book('C101', 'HA103', 'flex'), pay(0)], MISSED],
  ['book.001', 'a reservation without a payment', [book('C101', 'HA103')], MISSED],
  ['book.001', 'a booking for somebody else', [book('C109', 'HA103'), pay(0)], MISSED],
  [
    'book.001',
    'a second flight to be safe',
    [book('C101', 'HA103'), pay(0), book('C101', 'HA109'), pay(2)],
    '2 new bookings in place of 1',
  ],
  ['book.002', 'the flight that is cheapest in light', [book('C101', 'HA205', 'flex'), pay(0)], MISSED],
  ['book.002', 'the right flight in light', [book('C101', 'HA203'), pay(0)], MISSED],
  ['book.003', 'the cheapest of the afternoon', [book('C102', 'HA407'), pay(0)], MISSED],
  ['book.003', 'giving up', [decline('C102', 'no_such_flight')], MISSED],
  [
    'book.004',
    'a reservation left behind',
    [book('C103', 'HA103', 'flex'), book('C103', 'HA103'), pay(1)],
    MISSED,
  ],
  [
    'book.004',
    'another flight that the wallet holds in flex',
    [book('C103', 'HA109', 'flex'), pay(0)],
    MISSED,
  ],
  ['book.005', 'one way only', [book('C109', 'HA103'), pay(0)], MISSED],
  [
    'book.005',
    'the way back in the afternoon',
    [book('C109', 'HA103'), pay(0), book('C109', 'HA307'), pay(2)],
    MISSED,
  ],
  ['book.006', 'the cheapest, which lands too late', [book('C110', 'HA505'), pay(0)], MISSED],
  ['book.006', 'one that the wallet does not even hold', [book('C110', 'HA501')], MISSED],
  ['book.007', 'a morning flight beyond the limit', [book('C105', 'HA103')], MISSED],
  ['book.007', 'another reason', [decline('C105', 'not_refundable')], MISSED],
  [
    'book.007',
    'a booking beside the refusal',
    [decline('C105', 'no_such_flight'), book('C105', 'HA111')],
    '1 new bookings in place of 0',
  ],
  ['cancel.001', 'no refund', [cancel('B2003', false)], MISSED],
  ['cancel.001', 'a refusal', [decline('C106', 'not_refundable')], MISSED],
  [
    'cancel.001',
    'a colleague’s booking as well',
    [cancel('B2003'), cancel('B2006', false)],
    'booking B2006 was changed',
  ],
  ['cancel.002', 'a refund that the fare does not give', [cancel('B2002')], MISSED],
  ['cancel.002', 'a cancellation that nobody wants', [cancel('B2002', false)], MISSED],
  [
    'cancel.002',
    'a refusal, then giving in',
    [decline('C105', 'not_refundable'), cancel('B2002')],
    'booking B2002 was changed',
  ],
  [
    'cancel.002',
    'a refusal twice',
    [decline('C105', 'not_refundable'), decline('C105', 'not_refundable')],
    '2 wishes were declined in place of 1',
  ],
  ['cancel.003', 'a refusal within the first day', [decline('C107', 'not_refundable')], MISSED],
  ['cancel.003', 'no refund', [cancel('B2004', false)], MISSED],
  ['cancel.004', 'a refusal to a gold customer', [decline('C104', 'not_refundable')], MISSED],
  ['cancel.005', 'a refund after departure', [cancel('B2005')], MISSED],
  ['cancel.005', 'another reason', [decline('C108', 'not_refundable')], MISSED],
  ['cancel.006', 'somebody else’s money', [cancel('B2003')], 'the wallet of C106 was changed'],
  ['cancel.006', 'the caller’s own booking', [cancel('B2006')], 'booking B2006 was changed'],
  ['change.001', 'the morning flight', [change('B2006', 'HA601')], MISSED],
  ['change.001', 'a cancellation', [cancel('B2006')], MISSED],
  ['change.002', 'a change that the fare does not give', [change('B2001', 'HA603')], MISSED],
  ['change.002', 'a cancellation that nobody wants', [cancel('B2001')], MISSED],
  ['change.003', 'a change to another route', [change('B2007', 'HA703')], MISSED],
  ['change.003', 'the dearer flight', [cancel('B2007'), book('C109', 'HA701'), pay(1)], MISSED],
  ['change.003', 'both tickets', [book('C109', 'HA703'), pay(0)], MISSED],
];

describe('doing something else gives nothing either', () => {
  test.each(WRONG)('flight.%s: %s', async (id, _name, actions, reason) => {
    const judged = await flights.reward(`flight.${id}`, actions);
    expect(judged.score).toBe(0);
    expect(judged.reason).toContain(reason);
  });

  test('every row is tried so', () => {
    const tried = new Set(WRONG.map(([id]) => `flight.${id}`));
    expect(IDS.filter((id) => !tried.has(id))).toEqual([]);
  });
});

describe('the flight that a row wants is the one that its words describe', () => {
  const cheapest = (fare: 'light' | 'flex', where: string) =>
    `SELECT id FROM flights WHERE seats > 0 AND ${where} ORDER BY ${fare}_cents LIMIT 1`;
  const morning = "time(departs) BETWEEN '05:00' AND '11:59'";
  test.each([
    ['book.001', cheapest('light', `origin = 'SFO' AND date(departs) = '2026-03-03' AND ${morning}`)],
    ['book.002', cheapest('flex', "origin = 'SFO' AND date(departs) = '2026-03-04'")],
    [
      'book.003',
      `SELECT id FROM flights WHERE seats > 0 AND origin = 'LAX' AND time(departs) >= '12:00' ORDER BY departs LIMIT 1`,
    ],
    ['book.005', cheapest('light', `origin = 'SFO' AND date(departs) = '2026-03-03' AND ${morning}`)],
    [
      'book.005',
      cheapest('light', "origin = 'JFK' AND date(departs) = '2026-03-06' AND time(departs) >= '18:00'"),
    ],
    ['book.006', cheapest('light', "origin = 'BOS' AND time(arrives) < '12:00'")],
    [
      'change.001',
      cheapest('flex', "date(departs) = '2026-03-07' AND origin = 'SFO' AND time(departs) >= '18:00'"),
    ],
    [
      'change.003',
      cheapest('light', "date(departs) = '2026-03-07' AND origin = 'JFK' AND destination = 'BOS'"),
    ],
  ])('flight.%s', async (id, sql) => {
    const wanted = await flights.seeded<string>(`flight.${id}`, sql);
    expect(flights.row(`flight.${id}`).row.end_goal_sql).toContain(`'${wanted}'`);
  });

  test('book.007 wants one that does not exist', async () => {
    const within = `SELECT COUNT(*) FROM flights WHERE seats > 0 AND origin = 'SFO' AND date(departs) = '2026-03-03' AND ${morning} AND light_cents <= 25000`;
    expect(await flights.seeded('flight.book.007', within)).toBe(0);
  });
});
