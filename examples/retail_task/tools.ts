import { type Database, type SqlRow, ToolRegistry, z } from 'reprise/bundle';

/** The tools keep the books straight, and nothing more: keeping to the policy is the agent's task. */
export const tools = new ToolRegistry('retail_tools');

const customerId = z.string().describe('Such as K11');
const orderId = z.string().describe('Such as R501');
const itemId = z.string().describe('Such as I5');
const cents = z.int().min(1).describe('In cents');

interface Order extends SqlRow {
  id: string;
  status: 'pending' | 'sent' | 'delivered' | 'cancelled';
  total_cents: number;
}

interface Item extends SqlRow {
  id: string;
  order_id: string;
  variant_id: string;
  units: number;
  price_cents: number;
  state: 'bought' | 'returned' | 'exchanged';
}

tools.tool(
  'read_policy',
  {
    description: 'The rules of the shop, by section. Read them first.',
    parameters: z.object({}),
    readOnly: true,
  },
  (_nothing, { db }) => db.fetchAll('SELECT section, text FROM policy ORDER BY rowid'),
);

tools.tool(
  'find_customer',
  {
    description: 'The customer with this e-mail address.',
    parameters: z.object({ email: z.string().min(3) }),
    readOnly: true,
  },
  async ({ email }, { db }) => {
    const [customer] = await db.fetchAll('SELECT * FROM customers WHERE email = lower(:email)', { email });
    if (customer === undefined) throw new Error(`nobody has the address ${email}`);
    return customer;
  },
);

tools.tool(
  'list_orders',
  {
    description: 'The orders of a customer, with what is in them and when they were sent and delivered.',
    parameters: z.object({ customer_id: customerId }),
    readOnly: true,
  },
  ({ customer_id }, { db }) =>
    db.fetchAll(
      `SELECT o.id, o.placed_on, o.status, o.address, o.total_cents, d.sent_on, d.delivered_on,
         (SELECT group_concat(i.units || ' × ' || p.name || ', ' || v.label, '; ')
          FROM items i JOIN variants v ON v.id = i.variant_id JOIN products p ON p.id = v.product_id
          WHERE i.order_id = o.id) AS content
       FROM orders o LEFT JOIN parcels d ON d.order_id = o.id WHERE o.customer_id = :customer_id ORDER BY o.id`,
      { customer_id },
    ),
);

tools.tool(
  'get_order',
  {
    description: 'An order with each of its items, their products, and what was refunded and charged.',
    parameters: z.object({ order_id: orderId }),
    readOnly: true,
  },
  async ({ order_id }, { db }) => {
    const order = await findOrder(db, order_id);
    const items = await db.fetchAll(
      `SELECT i.id, i.variant_id, p.id AS product_id, p.name, v.label, p.category, p.final_sale, i.units, i.price_cents, i.state
       FROM items i JOIN variants v ON v.id = i.variant_id JOIN products p ON p.id = v.product_id
       WHERE i.order_id = :order_id ORDER BY i.rowid`,
      { order_id },
    );
    const [parcel = null] = await db.fetchAll('SELECT * FROM parcels WHERE order_id = :order_id', {
      order_id,
    });
    const refunds = await db.fetchAll('SELECT amount_cents, method FROM refunds WHERE order_id = :order_id', {
      order_id,
    });
    return { ...order, items, parcel, refunds };
  },
);

tools.tool(
  'find_variants',
  {
    description: 'The variants of a product with their prices and the units in both warehouses.',
    parameters: z.object({ product_id: z.string().describe('Such as P1') }),
    readOnly: true,
  },
  ({ product_id }, { db }) =>
    db.fetchAll(
      `SELECT v.id, v.label, v.price_cents, coalesce(n.units, 0) AS north, coalesce(s.units, 0) AS south
       FROM variants v
       LEFT JOIN stock n ON n.variant_id = v.id AND n.warehouse = 'north'
       LEFT JOIN stock s ON s.variant_id = v.id AND s.warehouse = 'south'
       WHERE v.product_id = :product_id ORDER BY v.id`,
      { product_id },
    ),
);

tools.tool(
  'cancel_order',
  {
    description: 'Cancel a whole order. Money is refunded with refund.',
    parameters: z.object({ order_id: orderId }),
  },
  async ({ order_id }, { db }) => {
    const { status } = await findOrder(db, order_id);
    if (status === 'cancelled' || status === 'delivered') throw new Error(`${order_id} is ${status}`);
    await db.execute("UPDATE orders SET status = 'cancelled' WHERE id = :order_id", { order_id });
    return { cancelled: order_id };
  },
);

tools.tool(
  'change_address',
  {
    description: 'Change where an order is delivered.',
    parameters: z.object({ order_id: orderId, address: z.string().min(5) }),
  },
  async ({ order_id, address }, { db }) => {
    await findOrder(db, order_id);
    await db.execute('UPDATE orders SET address = :address WHERE id = :order_id', { order_id, address });
    return { order_id, address };
  },
);

tools.tool(
  'return_items',
  {
    description: 'Take items of an order back. Money is refunded with refund.',
    parameters: z.object({ order_id: orderId, item_ids: z.array(itemId).min(1) }),
  },
  async ({ order_id, item_ids }, { db }) => {
    for (const item_id of item_ids) {
      const item = await findItem(db, item_id);
      if (item.order_id !== order_id) throw new Error(`${item_id} is no item of ${order_id}`);
      await db.execute("UPDATE items SET state = 'returned' WHERE id = :item_id", { item_id });
    }
    return { returned: item_ids };
  },
);

tools.tool(
  'exchange_item',
  {
    description: 'Exchange an item for another variant. A difference is settled with charge or refund.',
    parameters: z.object({ item_id: itemId, variant_id: z.string().describe('Such as V12') }),
  },
  async ({ item_id, variant_id }, { db }) => {
    const item = await findItem(db, item_id);
    const price = await db.fetchValue<number>('SELECT price_cents FROM variants WHERE id = :variant_id', {
      variant_id,
    });
    if (price === null) throw new Error(`there is no variant ${variant_id}`);
    const taken = await db.execute(
      `UPDATE stock SET units = units - :units WHERE variant_id = :variant_id AND warehouse =
         (SELECT warehouse FROM stock WHERE variant_id = :variant_id AND units >= :units ORDER BY warehouse LIMIT 1)`,
      { variant_id, units: item.units },
    );
    if (taken.changes === 0) throw new Error(`no warehouse has ${variant_id}`);
    await db.execute("UPDATE items SET variant_id = :variant_id, state = 'exchanged' WHERE id = :item_id", {
      variant_id,
      item_id,
    });
    return { item_id, variant_id, difference_cents: (price - item.price_cents) * item.units };
  },
);

tools.tool(
  'refund',
  {
    description: 'Refund an amount of an order to the card or to a voucher.',
    parameters: z.object({ order_id: orderId, amount_cents: cents, method: z.enum(['card', 'voucher']) }),
  },
  async ({ order_id, amount_cents, method }, { db }) => {
    const { total_cents } = await findOrder(db, order_id);
    const sum = 'SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE order_id = :order_id';
    const refunded = (await db.fetchValue<number>(sum, { order_id })) ?? 0;
    if (refunded + amount_cents > total_cents)
      throw new Error(`${order_id} came to ${total_cents} cents only`);
    await db.execute('INSERT INTO refunds VALUES (:order_id, :amount_cents, :method)', {
      order_id,
      amount_cents,
      method,
    });
    return { refunded: amount_cents, method };
  },
);

tools.tool(
  'charge',
  {
    description: 'Charge the card of an order, for the difference of an exchange.',
    parameters: z.object({ order_id: orderId, amount_cents: cents }),
  },
  async ({ order_id, amount_cents }, { db }) => {
    await findOrder(db, order_id);
    await db.execute('INSERT INTO charges VALUES (:order_id, :amount_cents)', { order_id, amount_cents });
    return { charged: amount_cents };
  },
);

tools.tool(
  'decline_request',
  {
    description: 'Record, once for each wish, that it is declined, and why.',
    parameters: z.object({
      customer_id: customerId,
      reason: z.enum([
        'single_item',
        'too_late',
        'bedding',
        'final_sale',
        'in_transit',
        'not_their_order',
        'out_of_stock',
      ]),
    }),
  },
  async ({ customer_id, reason }, { db }) => {
    await db.execute('INSERT INTO declined VALUES (:customer_id, :reason)', { customer_id, reason });
    return { declined: reason };
  },
);

async function findOrder(db: Database, order_id: string): Promise<Order> {
  const [order] = await db.fetchAll<Order>('SELECT * FROM orders WHERE id = :order_id', { order_id });
  if (order === undefined) throw new Error(`there is no order ${order_id}`);
  return order;
}

/** An item that the customer still has as it was bought. */
async function findItem(db: Database, item_id: string): Promise<Item> {
  const [item] = await db.fetchAll<Item>('SELECT * FROM items WHERE id = :item_id', { item_id });
  if (item === undefined) throw new Error(`there is no item ${item_id}`);
  if (item.state !== 'bought') throw new Error(`${item_id} was ${item.state} already`);
  return item;
}
