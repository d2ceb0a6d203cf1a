-- Larch & Loom, household goods: the shop's own tables.
CREATE TABLE customers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  circle INTEGER NOT NULL CHECK (circle IN (0, 1))
);

CREATE TABLE products (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  category TEXT NOT NULL CHECK (category IN ('lighting', 'bedding', 'kitchen', 'furniture')),
  final_sale INTEGER NOT NULL CHECK (final_sale IN (0, 1))
);

CREATE TABLE variants (
  id TEXT PRIMARY KEY,
  product_id TEXT NOT NULL REFERENCES products(id),
  label TEXT NOT NULL,
  price_cents INTEGER NOT NULL
);

CREATE TABLE orders (
  id TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES customers(id),
  placed_on TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'sent', 'delivered', 'cancelled')),
  address TEXT NOT NULL,
  total_cents INTEGER NOT NULL
);

CREATE TABLE items (
  id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders(id),
  variant_id TEXT NOT NULL REFERENCES variants(id),
  units INTEGER NOT NULL CHECK (units > 0),
  price_cents INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'bought' CHECK (state IN ('bought', 'returned', 'exchanged'))
);

CREATE TABLE refunds (
  order_id TEXT NOT NULL REFERENCES orders(id),
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  method TEXT NOT NULL CHECK (method IN ('card', 'voucher'))
);

-- What a customer still has to pay after an exchange.
CREATE TABLE charges (
  order_id TEXT NOT NULL REFERENCES orders(id),
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0)
);

CREATE TABLE declined (
  customer_id TEXT NOT NULL REFERENCES customers(id),
  reason TEXT NOT NULL
);

CREATE TABLE policy (section TEXT PRIMARY KEY, text TEXT NOT NULL);

-- The warehouse's tables.
CREATE TABLE stock (
  variant_id TEXT NOT NULL REFERENCES variants(id),
  warehouse TEXT NOT NULL CHECK (warehouse IN ('north', 'south')),
  units INTEGER NOT NULL CHECK (units >= 0),
  PRIMARY KEY (variant_id, warehouse)
);

CREATE TABLE parcels (
  id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders(id),
  warehouse TEXT NOT NULL,
  sent_on TEXT NOT NULL,
  delivered_on TEXT
);

INSERT INTO policy VALUES
  ('customers', 'Ask for the e-mail address and look the customer up. Only a customer''s own orders are touched or told of. Members of the Circle have circle = 1.'),
  ('pending', 'While an order is pending, its address can be changed, and it can be cancelled as a whole: everything that was paid is refunded to the card. Single items of an order are not cancelled.'),
  ('sent', 'An order that was sent and not delivered is neither cancelled nor changed. A parcel that was sent more than 14 days ago and has not been delivered is lost: the order''s total is refunded to the card, without a fee.'),
  ('returns', 'A delivered item can be returned within 30 days of its delivery, by members of the Circle within 60. Refunded is the price of the returned items less a fee of 500 cents an order. The refund goes to the card, or to a voucher where the customer asks for one. Bedding is not returned. What was sold as final sale is not returned.'),
  ('faults', 'A faulty item can be returned whatever its kind, within 180 days of its delivery and without the fee.'),
  ('exchanges', 'A delivered item can be exchanged, once and within the days of a return, for another variant of the same product that either warehouse has in stock. There is no fee; the customer pays the difference, or gets it back on the card. Bedding and final sale are not exchanged.'),
  ('declining', 'What the rules do not allow is declined: record it once for each wish with decline_request, tell the customer, and change nothing.');

INSERT INTO customers VALUES
  ('K11', 'Amara Diallo', 'amara@example.com', 0),
  ('K12', 'Boris Lang', 'boris@example.com', 0),
  ('K13', 'Celia Ortiz', 'celia@example.com', 1),
  ('K14', 'Daniel Fry', 'daniel@example.com', 0),
  ('K15', 'Elif Kaya', 'elif@example.com', 0),
  ('K16', 'Finn Berg', 'finn@example.com', 0),
  ('K17', 'Gita Rao', 'gita@example.com', 0),
  ('K18', 'Henri Blanc', 'henri@example.com', 1);

INSERT INTO products VALUES
  ('P1', 'Reading lamp', 'lighting', 0),
  ('P2', 'Wool blanket', 'bedding', 0),
  ('P3', 'Cast iron pan', 'kitchen', 0),
  ('P4', 'Oak stool', 'furniture', 0),
  ('P5', 'Paper lantern', 'lighting', 1),
  ('P6', 'Floor lamp', 'lighting', 0);

INSERT INTO variants VALUES
  ('V11', 'P1', 'black', 4900),
  ('V12', 'P1', 'brass', 5900),
  ('V13', 'P1', 'white', 4500),
  ('V21', 'P2', 'grey', 8900),
  ('V22', 'P2', 'rust', 8900),
  ('V31', 'P3', '24 cm', 3900),
  ('V32', 'P3', '28 cm', 5200),
  ('V33', 'P3', '32 cm', 6400),
  ('V41', 'P4', 'natural', 7900),
  ('V42', 'P4', 'smoked', 8700),
  ('V51', 'P5', 'round', 1900),
  ('V61', 'P6', 'black', 12900),
  ('V62', 'P6', 'brass', 14900);

-- No warehouse has the 28 cm pan; only the south has the brass lamp.
INSERT INTO stock VALUES
  ('V11', 'north', 6), ('V11', 'south', 2),
  ('V12', 'north', 0), ('V12', 'south', 3),
  ('V13', 'north', 4), ('V13', 'south', 0),
  ('V21', 'north', 5), ('V22', 'south', 5),
  ('V31', 'north', 1), ('V31', 'south', 0),
  ('V32', 'north', 0), ('V32', 'south', 0),
  ('V33', 'north', 2), ('V33', 'south', 1),
  ('V41', 'north', 3), ('V42', 'north', 0), ('V42', 'south', 4),
  ('V51', 'north', 9), ('V61', 'south', 2), ('V62', 'north', 1);

INSERT INTO orders VALUES
  ('R501', 'K11', '{{today-1}}', 'pending', '4 Mill Lane', 10300),
  ('R502', 'K11', '{{today-20}}', 'delivered', '4 Mill Lane', 17700),
  ('R503', 'K12', '{{today-50}}', 'delivered', '9 Harbour Street', 7900),
  ('R504', 'K12', '{{today-6}}', 'sent', '9 Harbour Street', 5200),
  ('R505', 'K13', '{{today-52}}', 'delivered', '17 Orchard Road', 9800),
  ('R506', 'K13', '{{today-90}}', 'delivered', '17 Orchard Road', 12900),
  ('R507', 'K14', '{{today-9}}', 'delivered', '2 Station Square', 8900),
  ('R508', 'K15', '{{today-15}}', 'delivered', '31 Canal View', 3900),
  ('R509', 'K16', '{{today-23}}', 'sent', '8 Hill Top', 14900),
  ('R510', 'K17', '{{today-12}}', 'delivered', '5 Quarry Bank', 6800),
  ('R511', 'K17', '{{today-1}}', 'pending', '5 Quarry Bank', 7900),
  ('R512', 'K18', '{{today-40}}', 'delivered', '12 Weir Close', 16600),
  ('R513', 'K14', '{{today-100}}', 'delivered', '2 Station Square', 8900);

INSERT INTO items (id, order_id, variant_id, units, price_cents) VALUES
  ('I1', 'R501', 'V31', 1, 3900),
  ('I2', 'R501', 'V51', 1, 1900),
  ('I3', 'R501', 'V13', 1, 4500),
  ('I5', 'R502', 'V11', 1, 4900),
  ('I6', 'R502', 'V31', 1, 3900),
  ('I7', 'R502', 'V21', 1, 8900),
  ('I8', 'R503', 'V41', 1, 7900),
  ('I9', 'R504', 'V32', 1, 5200),
  ('I10', 'R505', 'V11', 2, 4900),
  ('I11', 'R506', 'V61', 1, 12900),
  ('I12', 'R507', 'V21', 1, 8900),
  ('I13', 'R508', 'V31', 1, 3900),
  ('I14', 'R509', 'V62', 1, 14900),
  ('I15', 'R510', 'V11', 1, 4900),
  ('I16', 'R510', 'V51', 1, 1900),
  ('I17', 'R511', 'V41', 1, 7900),
  ('I18', 'R512', 'V41', 1, 7900),
  ('I19', 'R512', 'V42', 1, 8700),
  ('I20', 'R513', 'V22', 1, 8900);

INSERT INTO parcels VALUES
  ('D1', 'R502', 'north', '{{today-19}}', '{{today-16}}'),
  ('D2', 'R503', 'north', '{{today-48}}', '{{today-45}}'),
  ('D3', 'R504', 'south', '{{today-4}}', NULL),
  ('D4', 'R505', 'north', '{{today-50}}', '{{today-45}}'),
  ('D5', 'R506', 'south', '{{today-88}}', '{{today-84}}'),
  ('D6', 'R507', 'north', '{{today-8}}', '{{today-5}}'),
  ('D7', 'R508', 'north', '{{today-14}}', '{{today-11}}'),
  ('D8', 'R509', 'north', '{{today-20}}', NULL),
  ('D9', 'R510', 'south', '{{today-11}}', '{{today-8}}'),
  ('D10', 'R512', 'south', '{{today-38}}', '{{today-35}}'),
  ('D11', 'R513', 'south', '{{today-98}}', '{{today-95}}');
