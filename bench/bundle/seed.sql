-- The bundle of the bench: what a rollout has counted, beside a few hundred rows that it leaves alone.
CREATE TABLE counted (number INTEGER PRIMARY KEY);

CREATE TABLE flights (id TEXT PRIMARY KEY, origin TEXT NOT NULL, destination TEXT NOT NULL, departs TEXT NOT NULL, seats INTEGER NOT NULL);

WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 300)
INSERT INTO flights
SELECT printf('BE%03d', number), 'SFO', 'JFK', datetime('now', '+' || number || ' hours'), number % 9 FROM numbers;
