import { readFile } from 'node:fs/promises';
import type { RolloutRow } from '../../src/kinds/agent-eval/contracts.js';
import type { AgentEvalMetrics } from '../../src/kinds/agent-eval/results.js';
import type { FakeReply, RecordedRequest } from './fake-providers/behaviours.js';
import { readLines, timelessMetrics, type Workplace } from './workplace.js';

/**
 * A bundle of a desk that books seats, and the models of an agent and a user who work on it. What they say follows from
 * the conversation alone, so every run of the same rows and seed comes to the same databases.
 *
 * A tool notes what it does in the file that `SEATS_LOG` names, outside of the database: a call that is made twice is
 * there twice. While the file that `SEATS_HELD` names is there, a booking waits in its middle, and says so beside it.
 */
const TOOLS = `import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolRegistry, z } from 'reprise/bundle';

export const tools = new ToolRegistry('seats');
const flight = z.object({ flight: z.int() });
const DRAW = 'SELECT hex(randomblob(8))';

function note(what: string): void {
  if (process.env.SEATS_LOG) appendFileSync(process.env.SEATS_LOG, what + '\\n');
}

async function held(): Promise<void> {
  const file = process.env.SEATS_HELD;
  if (!file || !existsSync(file)) return;
  writeFileSync(file + '.' + process.pid, '');
  while (existsSync(file)) await sleep(50);
}

tools.tool('book', { description: 'Books a seat.', parameters: flight }, async ({ flight }, { db }) => {
  const { changes } = await db.execute('UPDATE flights SET free = free - 1 WHERE id = :flight AND free > 0', { flight });
  if (changes === 0) throw new Error('flight ' + flight + ' is full');
  await held();
  const booking = await db.fetchValue(DRAW);
  await db.execute('INSERT INTO bookings (id, flight) VALUES (:booking, :flight)', { booking, flight });
  note('book ' + booking);
  return { booking };
});

tools.tool('wait', { description: 'Puts the user on a waiting list.', parameters: flight }, async ({ flight }, { db }) => {
  const ticket = await db.fetchValue(DRAW);
  await db.execute('INSERT INTO waiting (id, flight) VALUES (:ticket, :flight)', { ticket, flight });
  note('wait ' + ticket);
  return { ticket };
});

const PAYMENT = { description: 'Charges a booking.', parameters: z.object({ booking: z.string() }) };
tools.tool('pay', PAYMENT, async ({ booking }, { db }) => {
  const { changes } = await db.execute('UPDATE bookings SET paid = paid + 1 WHERE id = :booking', { booking });
  if (changes === 0) throw new Error('there is no booking ' + booking);
  note('pay ' + booking);
  return { paid: booking };
});
`;

const REWARD = `import { defineReward, goalHolds } from 'reprise/bundle';

export default defineReward(async ({ db, row }) => {
  const done = await goalHolds(db, row.end_goal_sql ?? 'SELECT 0');
  return { score: done ? 1 : 0, reason: done ? 'the seat is paid' : 'the seat is not paid' };
});
`;

/** Every fourth flight is full. */
export const isFull = (index: number): boolean => index % 4 === 3;

const seedOf = (index: number) => `
  CREATE TABLE flights (id INTEGER PRIMARY KEY, free INTEGER NOT NULL CHECK (free >= 0));
  CREATE TABLE bookings (id TEXT PRIMARY KEY, flight INTEGER NOT NULL REFERENCES flights(id), paid INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE waiting (id TEXT PRIMARY KEY, flight INTEGER NOT NULL REFERENCES flights(id));
  INSERT INTO flights VALUES (${index}, ${isFull(index) ? 0 : 2});`;

const PAID = 'SELECT COUNT(*) = 1 AND SUM(paid) = 1 FROM bookings';
const WAITS = 'SELECT (SELECT COUNT(*) FROM waiting) = 1 AND (SELECT COUNT(*) FROM bookings) = 0';

/** The id of a row, whose flight has the number `index`. */
export const seatRow = (index: number): string => `seat.${String(index).padStart(3, '0')}`;

function rowOf(index: number): object {
  return {
    id: seatRow(index),
    seed_sql: seedOf(index),
    end_goal_sql: isFull(index) ? WAITS : PAID,
    initial_messages: [
      { role: 'system', content: 'You work at a desk that books seats.' },
      { role: 'user', content: `Please book me a seat on flight ${index}.` },
    ],
    sim_user_prompt: 'You are Ines. You want one seat, and pay for it at once.',
    toolset: './tools.ts',
    max_turns: 8,
  };
}

/** The bundle's files, by their names. */
export function seatsBundle(rows: number): Record<string, string> {
  const lines = Array.from({ length: rows }, (_, index) => JSON.stringify(rowOf(index)));
  return { 'tools.ts': TOOLS, 'reward.ts': REWARD, 'task.jsonl': `${lines.join('\n')}\n` };
}

/** Writes the bundle into a folder of a workplace. */
export async function writeSeats(place: Workplace, rows: number, folder: string): Promise<void> {
  for (const [name, content] of Object.entries(seatsBundle(rows))) {
    await place.write(`${folder}/${name}`, content);
  }
}

export const AGENT = 'clerk';
export const USER = 'customer';
const STOP = '###STOP###';

/** An evaluation whose agent and user are a fake provider's. */
export function seatsConfig(baseUrl: string, dataset: string, more: Record<string, unknown> = {}): object {
  const lm = (name: string) => ({ model: `openai/${name}`, base_url: baseUrl });
  return {
    name: 'seats',
    dataset,
    rollouts: 2,
    concurrency: 4,
    now: '2026-03-02T09:00:00Z',
    models: { agent: lm(AGENT), user: lm(USER) },
    output: { results_dir: 'results' },
    ...more,
  };
}

interface WireMessage {
  role: string;
  content: string | null;
}

const BOOKING = /booking ([0-9A-F]{16})/;
/** A quarter of the bookings is never charged: the rollouts of a row come to different rewards. */
const FORGETS = /^[C-F]/;

/** The agent. */
function clerk(messages: WireMessage[]): FakeReply {
  const call = (name: string, given: Record<string, unknown>): FakeReply => ({
    toolCalls: [{ id: `call_${messages.length}`, name, arguments: given }],
  });
  const last = messages.at(-1);
  const said = last?.content ?? '';
  const flight = Number(
    /flight (\d+)/.exec(messages.find(({ role }) => role === 'user')?.content ?? '')?.[1],
  );
  if (last?.role === 'tool') {
    if (said.includes('is full')) return call('wait', { flight });
    const { booking, paid } = JSON.parse(said) as { booking?: string; paid?: string };
    if (booking !== undefined) return { text: `That is booking ${booking}. Shall I charge your card?` };
    return {
      text: paid === undefined ? 'The flight is full; you are on its waiting list.' : 'Your card is charged.',
    };
  }
  if (!said.includes('charge')) return call('book', { flight });
  const booking = messages.map(({ content }) => BOOKING.exec(content ?? '')?.[1]).find(Boolean) ?? '';
  return FORGETS.test(booking) ? { text: 'Your card is charged.' } : call('pay', { booking });
}

/** What the user answers to the agent's last words. */
export function customer(agentSaid: string): string {
  return agentSaid.includes('Shall I charge') ? 'Yes, please charge it.' : `Thank you. ${STOP}`;
}

/** Answers as the agent or as the user, whose model is asked. */
export function seatsReply({ model, body, lastUserText }: RecordedRequest): FakeReply {
  return model === USER ? { text: customer(lastUserText) } : clerk(body.messages as WireMessage[]);
}

/** Rows without times, and without what is named after the experiment. */
export function timelessRollouts(rows: readonly RolloutRow[]): object[] {
  return rows.map(
    ({ started_at: _at, seconds: _seconds, rollout_id: _id, database: _database, ...row }) => row,
  );
}

/** Metrics without times, names, and what a crash may repeat. */
export function timelessAgentEval(metrics: AgentEvalMetrics): object {
  const { name: _name, experiment: _experiment, ...rest } = timelessMetrics(metrics);
  return rest;
}

/** What an evaluation came to, in its folder. */
export async function agentEvalIn(
  folder: string,
): Promise<{ metrics: AgentEvalMetrics; rows: RolloutRow[] }> {
  const metrics = JSON.parse(await readFile(`${folder}/metrics.json`, 'utf8')) as AgentEvalMetrics;
  return { metrics, rows: await readLines<RolloutRow>(`${folder}/results.jsonl`) };
}

/** What tools have noted, a call a line; those of a log that nobody wrote are none. */
export async function notesIn(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}
