-- Harbour Air, on the day that the rollout calls today. Prices are in cents, times are local and without a zone.
CREATE TABLE customers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  tier TEXT NOT NULL CHECK (tier IN ('basic', 'silver', 'gold')),
  wallet_cents INTEGER NOT NULL CHECK (wallet_cents >= 0)
);

CREATE TABLE flights (
  id TEXT PRIMARY KEY,
  origin TEXT NOT NULL,
  destination TEXT NOT NULL,
  departs TEXT NOT NULL,
  arrives TEXT NOT NULL,
  light_cents INTEGER NOT NULL,
  flex_cents INTEGER NOT NULL,
  seats INTEGER NOT NULL CHECK (seats >= 0)
);

CREATE TABLE bookings (
  id TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES customers(id),
  flight_id TEXT NOT NULL REFERENCES flights(id),
  fare TEXT NOT NULL CHECK (fare IN ('light', 'flex')),
  status TEXT NOT NULL CHECK (status IN ('reserved', 'paid', 'cancelled')),
  price_cents INTEGER NOT NULL,
  booked_at TEXT NOT NULL
);

-- What was taken from a wallet; a refund is negative.
CREATE TABLE payments (
  booking_id TEXT NOT NULL REFERENCES bookings(id),
  amount_cents INTEGER NOT NULL,
  paid_at TEXT NOT NULL
);

CREATE TABLE declined (
  customer_id TEXT NOT NULL REFERENCES customers(id),
  reason TEXT NOT NULL
);

INSERT INTO customers VALUES
  ('C101', 'Alice Moreno', 'basic', 60000),
  ('C102', 'Ben Okafor', 'basic', 45000),
  ('C103', 'Chiara Lindgren', 'silver', 38000),
  ('C104', 'Dmitri Havel', 'gold', 5000),
  ('C105', 'Esther Yoon', 'basic', 20000),
  ('C106', 'Farid Haddad', 'basic', 9000),
  ('C107', 'Grace Mbeki', 'basic', 1000),
  ('C108', 'Hugo Tanaka', 'silver', 15000),
  ('C109', 'Irina Petrov', 'basic', 70000),
  ('C110', 'Jonas Weber', 'basic', 16000);

-- Tomorrow, San Francisco to New York: the cheapest leaves in the afternoon, the cheapest of the morning is full.
INSERT INTO flights VALUES
  ('HA101', 'SFO', 'JFK', '{{today+1}} 06:45', '{{today+1}} 15:10', 31900, 42900, 4),
  ('HA103', 'SFO', 'JFK', '{{today+1}} 09:20', '{{today+1}} 17:50', 27400, 38900, 2),
  ('HA105', 'SFO', 'JFK', '{{today+1}} 11:35', '{{today+1}} 20:00', 28900, 39900, 9),
  ('HA107', 'SFO', 'JFK', '{{today+1}} 08:05', '{{today+1}} 16:30', 24900, 36900, 0),
  ('HA109', 'SFO', 'JFK', '{{today+1}} 14:15', '{{today+1}} 22:40', 21900, 33900, 6),
  ('HA111', 'SFO', 'JFK', '{{today+1}} 21:50', '{{today+2}} 06:15', 23900, 34900, 3);

-- The day after: the cheapest in one fare is not the cheapest in the other.
INSERT INTO flights VALUES
  ('HA201', 'SFO', 'JFK', '{{today+2}} 07:30', '{{today+2}} 15:55', 30900, 41500, 3),
  ('HA203', 'SFO', 'JFK', '{{today+2}} 12:10', '{{today+2}} 20:35', 26900, 37500, 1),
  ('HA205', 'SFO', 'JFK', '{{today+2}} 16:00', '{{today+3}} 00:25', 25900, 39900, 5);

-- The way back.
INSERT INTO flights VALUES
  ('HA301', 'JFK', 'SFO', '{{today+4}} 08:15', '{{today+4}} 11:45', 29900, 40900, 4),
  ('HA303', 'JFK', 'SFO', '{{today+4}} 18:40', '{{today+4}} 22:10', 26400, 37400, 5),
  ('HA305', 'JFK', 'SFO', '{{today+4}} 20:55', '{{today+5}} 00:25', 27900, 38900, 2),
  ('HA307', 'JFK', 'SFO', '{{today+4}} 13:00', '{{today+4}} 16:30', 22900, 33900, 7);

-- Every morning flight to Seattle is full.
INSERT INTO flights VALUES
  ('HA401', 'LAX', 'SEA', '{{today+1}} 07:00', '{{today+1}} 09:50', 9900, 14900, 0),
  ('HA403', 'LAX', 'SEA', '{{today+1}} 10:30', '{{today+1}} 13:20', 11900, 16900, 0),
  ('HA405', 'LAX', 'SEA', '{{today+1}} 13:20', '{{today+1}} 16:10', 14900, 19900, 3),
  ('HA407', 'LAX', 'SEA', '{{today+1}} 16:45', '{{today+1}} 19:35', 8900, 13900, 8);

-- Boston to Chicago: the cheapest arrives after noon.
INSERT INTO flights VALUES
  ('HA501', 'BOS', 'ORD', '{{today+3}} 06:30', '{{today+3}} 08:20', 17900, 25900, 2),
  ('HA503', 'BOS', 'ORD', '{{today+3}} 09:10', '{{today+3}} 11:05', 15900, 23900, 5),
  ('HA505', 'BOS', 'ORD', '{{today+3}} 10:40', '{{today+3}} 12:35', 12900, 20900, 7),
  ('HA507', 'BOS', 'ORD', '{{today+3}} 15:00', '{{today+3}} 16:55', 13900, 21900, 4);

-- Five days from now, where most of the bookings are, and a flight that left yesterday.
INSERT INTO flights VALUES
  ('HA601', 'SFO', 'JFK', '{{today+5}} 08:00', '{{today+5}} 16:25', 28000, 39000, 3),
  ('HA603', 'SFO', 'JFK', '{{today+5}} 13:30', '{{today+5}} 21:55', 29500, 41000, 4),
  ('HA605', 'SFO', 'JFK', '{{today+5}} 19:10', '{{today+6}} 03:35', 30500, 43500, 2),
  ('HA701', 'JFK', 'BOS', '{{today+5}} 09:00', '{{today+5}} 10:20', 8900, 12900, 4),
  ('HA703', 'JFK', 'BOS', '{{today+5}} 17:30', '{{today+5}} 18:50', 7900, 11900, 4),
  ('HA901', 'SFO', 'JFK', '{{today-1}} 08:00', '{{today-1}} 16:25', 28000, 39000, 12);

INSERT INTO bookings VALUES
  ('B2001', 'C104', 'HA601', 'light', 'paid', 28000, datetime('now', '-6 days')),
  ('B2002', 'C105', 'HA601', 'light', 'paid', 28000, datetime('now', '-3 days')),
  ('B2003', 'C106', 'HA601', 'flex', 'paid', 39000, datetime('now', '-10 days')),
  ('B2004', 'C107', 'HA601', 'light', 'paid', 28000, datetime('now', '-5 hours')),
  ('B2005', 'C108', 'HA901', 'flex', 'paid', 39000, datetime('now', '-20 days')),
  ('B2006', 'C102', 'HA603', 'flex', 'paid', 41000, datetime('now', '-8 days')),
  ('B2007', 'C109', 'HA601', 'flex', 'paid', 39000, datetime('now', '-2 days'));

INSERT INTO payments SELECT id, price_cents, booked_at FROM bookings;
