import { beforeAll, describe, expect, test } from 'vitest';
import { checkBundle } from '../../../../src/kinds/agent-eval/bundles/check.js';
import type { OracleAction } from '../../../../src/kinds/agent-eval/bundles/contracts.js';
import { call, MISSED, ShippedBundle, type WrongRollout } from './shipped.js';

const IDS = [
  'retail.cancel.001',
  'retail.cancel.002',
  'retail.address.001',
  'retail.return.001',
  'retail.return.002',
  'retail.return.003',
  'retail.return.004',
  'retail.return.005',
  'retail.return.006',
  'retail.return.007',
  'retail.exchange.001',
  'retail.exchange.002',
  'retail.exchange.003',
  'retail.transit.001',
  'retail.transit.002',
  'retail.other.001',
];

let shop: ShippedBundle;
beforeAll(async () => {
  shop = await ShippedBundle.load('examples/retail_task');
});

test('the rows are the ones that are tried here', () => {
  expect(shop.ids).toEqual(IDS);
});

test.each(IDS)('%s is proven solvable, and nothing is wrong with it', async (id) => {
  const { proven_solvable, findings } = await checkBundle(shop.bundle, [id]);
  expect({ proven_solvable, findings }).toEqual({ proven_solvable: 1, findings: [] });
});

test.each(IDS)('%s gives nothing for doing nothing', async (id) => {
  expect(await shop.reward(id, [{ say: 'Of course, it is done!' }])).toMatchObject({ score: 0 });
});

const cancel = (order_id: string) => call('cancel_order', { order_id });
const give = (order_id: string, ...item_ids: string[]) => call('return_items', { order_id, item_ids });
const swap = (item_id: string, variant_id: string) => call('exchange_item', { item_id, variant_id });
const charge = (order_id: string, amount_cents: number) => call('charge', { order_id, amount_cents });
const decline = (customer_id: string, reason: string) => call('decline_request', { customer_id, reason });
const address = (order_id: string, text: string) => call('change_address', { order_id, address: text });
const refund = (order_id: string, amount_cents: number, method = 'card') =>
  call('refund', { order_id, amount_cents, method });

const WRONG: WrongRollout[] = [
  ['cancel.001', 'no money back', [cancel('R501')], MISSED],
  ['cancel.001', 'a fee that there is not', [cancel('R501'), refund('R501', 9800)], MISSED],
  ['cancel.001', 'money back without the cancellation', [refund('R501', 10300)], MISSED],
  ['cancel.002', 'the whole order cancelled', [cancel('R501'), refund('R501', 10300)], MISSED],
  ['cancel.002', 'the item returned before it came', [give('R501', 'I2'), refund('R501', 1900)], MISSED],
  [
    'cancel.002',
    'a refusal, then giving in',
    [decline('K11', 'single_item'), cancel('R501')],
    'R501 was changed',
  ],
  ['address.001', 'the order of before', [address('R510', '6 Quarry Bank')], MISSED],
  [
    'address.001',
    'both orders',
    [address('R511', '6 Quarry Bank'), address('R510', '6 Quarry Bank')],
    'R510 was changed',
  ],
  ['return.001', 'no fee', [give('R502', 'I5', 'I6'), refund('R502', 8800)], MISSED],
  ['return.001', 'the fee for each item', [give('R502', 'I5', 'I6'), refund('R502', 7800)], MISSED],
  [
    'return.001',
    'the blanket as well',
    [give('R502', 'I5', 'I6', 'I7'), refund('R502', 8300)],
    'I7 was changed',
  ],
  ['return.001', 'a voucher', [give('R502', 'I5', 'I6'), refund('R502', 8300, 'voucher')], MISSED],
  ['return.001', 'the pending order’s pan', [give('R501', 'I1'), refund('R502', 8300)], MISSED],
  ['return.002', 'a return after the last day', [give('R503', 'I8'), refund('R503', 7400)], MISSED],
  ['return.003', 'the money on the card', [give('R505', 'I10'), refund('R505', 9300)], MISSED],
  ['return.003', 'one lamp’s price for two', [give('R505', 'I10'), refund('R505', 4400, 'voucher')], MISSED],
  ['return.003', 'a refusal to a member of the Circle', [decline('K13', 'too_late')], MISSED],
  ['return.004', 'bedding taken back', [give('R507', 'I12'), refund('R507', 8400)], MISSED],
  ['return.004', 'another reason', [decline('K14', 'too_late')], MISSED],
  ['return.005', 'the fee for a faulty item', [give('R513', 'I20'), refund('R513', 8400)], MISSED],
  ['return.005', 'the other blanket', [give('R507', 'I12'), refund('R507', 8900)], MISSED],
  ['return.005', 'a refusal', [decline('K14', 'bedding')], MISSED],
  [
    'return.006',
    'the late one as well',
    [give('R505', 'I10'), refund('R505', 9300), give('R506', 'I11'), refund('R506', 12400)],
    'I11 was changed',
  ],
  ['return.006', 'silence about the late one', [give('R505', 'I10'), refund('R505', 9300)], MISSED],
  ['return.006', 'a refusal of both', [decline('K13', 'too_late')], MISSED],
  ['return.007', 'both', [give('R510', 'I15', 'I16'), refund('R510', 6300)], MISSED],
  [
    'return.007',
    'the lantern’s money all the same',
    [give('R510', 'I15'), refund('R510', 6300), decline('K17', 'final_sale')],
    MISSED,
  ],
  ['exchange.001', 'no charge', [swap('I13', 'V33')], MISSED],
  ['exchange.001', 'the pan that it was', [swap('I13', 'V31'), charge('R508', 2500)], MISSED],
  ['exchange.001', 'a refusal', [decline('K15', 'out_of_stock')], MISSED],
  ['exchange.002', 'another colour', [swap('I15', 'V13'), charge('R510', 1000)], MISSED],
  ['exchange.002', 'the whole price', [swap('I15', 'V12'), charge('R510', 5900)], MISSED],
  [
    'exchange.002',
    'a fee for the exchange',
    [swap('I15', 'V12'), charge('R510', 1000), charge('R510', 500)],
    '1500 cents were charged in place of 1000',
  ],
  ['exchange.003', 'the stool that is natural already', [swap('I18', 'V41'), refund('R512', 800)], MISSED],
  ['exchange.003', 'the fee of a return', [swap('I19', 'V41'), refund('R512', 300)], MISSED],
  ['transit.001', 'a cancellation on the way', [cancel('R504'), refund('R504', 5200)], MISSED],
  ['transit.002', 'patience', [decline('K16', 'in_transit')], MISSED],
  ['transit.002', 'a fee', [refund('R509', 14400)], MISSED],
  ['transit.002', 'a cancellation beside the refund', [refund('R509', 14900), cancel('R509')], MISSED],
  ['other.001', 'somebody else’s order', [cancel('R511'), refund('R511', 7900)], MISSED],
];

describe('doing something else gives nothing either', () => {
  test.each(WRONG)('retail.%s: %s', async (id, _how, actions, reason) => {
    const judged = await shop.reward(`retail.${id}`, actions);
    expect(judged.score).toBe(0);
    expect(judged.reason).toContain(reason);
  });

  test('every row is tried so', () => {
    const tried = new Set(WRONG.map(([id]) => `retail.${id}`));
    expect(IDS.filter((id) => !tried.has(id))).toEqual([]);
  });
});

test.each<[string, string, OracleAction[]]>([
  [
    'return.001',
    'in two refunds',
    [give('R502', 'I5'), refund('R502', 4400), give('R502', 'I6'), refund('R502', 3900)],
  ],
  ['exchange.001', 'in two charges', [swap('I13', 'V33'), charge('R508', 2000), charge('R508', 500)]],
])('retail.%s may be solved %s', async (id, _how, actions) => {
  expect(await shop.reward(`retail.${id}`, actions)).toMatchObject({ score: 1 });
});

describe('the seed is what the rows take it for', () => {
  test.each([
    [
      'totals of orders are those of their items',
      'SELECT COUNT(*) FROM orders o WHERE total_cents <> (SELECT SUM(units * price_cents) FROM items WHERE order_id = o.id)',
      0,
    ],
    ['no warehouse has the 28 cm pan', "SELECT SUM(units) FROM stock WHERE variant_id = 'V32'", 0],
    [
      'delivered orders have a day of delivery',
      "SELECT COUNT(*) FROM orders o WHERE (status = 'delivered') <> EXISTS (SELECT 1 FROM parcels WHERE order_id = o.id AND delivered_on IS NOT NULL)",
      0,
    ],
    [
      'the parcel that is lost left more than 14 days ago',
      "SELECT julianday('now', 'start of day') - julianday(sent_on) FROM parcels WHERE order_id = 'R509'",
      20,
    ],
  ])('%s', async (_name, sql, value) => {
    expect(await shop.seeded(IDS[0] ?? '', sql)).toBe(value);
  });
});
