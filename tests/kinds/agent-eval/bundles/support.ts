import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

export const NOW = '2026-03-02T09:00:00.000Z';

/** A folder with these files, removed when the test is over. Objects become JSON lines of their items. */
export function bundleFolder(files: Record<string, string | object[]>): string {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    const text =
      typeof content === 'string' ? content : content.map((row) => `${JSON.stringify(row)}\n`).join('');
    writeFileSync(path, text);
  }
  return folder;
}

export const SEED = `CREATE TABLE flights (id INTEGER PRIMARY KEY, day TEXT, price INTEGER);
CREATE TABLE bookings (id TEXT PRIMARY KEY, flight INTEGER REFERENCES flights(id), status TEXT);
INSERT INTO flights VALUES (1, '{{today+1}}', 90), (2, '{{today+1}}', 80), (3, '{{today+2}}', 10);
`;

/** What the loader finds of the tools in flight.ts. */
export const TOOLS = `
import { ToolRegistry, z } from 'reprise/bundle';
export const tools = new ToolRegistry('flight_tools');
tools.tool('search', { description: 'Flights of a day.', parameters: z.object({ day: z.string() }), readOnly: true },
  ({ day }, { db }) => db.fetchAll('SELECT id, price FROM flights WHERE day = :day', { day }));
tools.tool('book', { description: 'Book.', parameters: z.object({ flight: z.int() }) }, () => null);
tools.tool('pay', { description: 'Pay.', parameters: z.object({ booking_id: z.string() }) }, () => null);
`;

export const REWARD = `
import { defineReward } from 'reprise/bundle';
export default defineReward(() => ({ score: 0 }));
`;

/** A row that the tools of flight.ts solve: the cheapest flight of tomorrow, paid. */
export const ROW = {
  id: 'flight.booking.001',
  seed_sql: 'file:seed.sql',
  end_goal_sql: "SELECT COUNT(*) = 1 FROM bookings WHERE flight = 2 AND status = 'paid'",
  initial_messages: [{ role: 'user', content: 'Book me the cheapest flight on {{weekday+1}}, {{today+1}}.' }],
  sim_user_prompt: 'You are Alice.',
  toolset: './tools.ts',
  n_rollouts: 4,
  now: '2026-03-02T09:00:00Z',
  oracle: [
    { tool: 'search', arguments: { day: '{{today+1}}' } },
    { tool: 'book', arguments: { flight: '{{result.0.0.id}}' } },
    { tool: 'pay', arguments: { booking_id: '{{result.1.booking_id}}' } },
  ],
};

export function flightBundle(rows: object[] = [ROW], files: Record<string, string | object[]> = {}): string {
  return bundleFolder({
    'task.jsonl': rows,
    'tools.ts': TOOLS,
    'reward.ts': REWARD,
    'seed.sql': SEED,
    ...files,
  });
}
