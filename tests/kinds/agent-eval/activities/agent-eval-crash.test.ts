import { describe, expect, test } from 'vitest';
import { SqliteDatabase } from '../../../../src/databases/sqlite-database.js';
import type { StoredResult } from '../../../../src/kinds/agent-eval/activities/rollout-results.js';
import { rolloutResultKey } from '../../../../src/kinds/agent-eval/paths.js';
import {
  calls,
  deskTools,
  deskWorld,
  says,
  type WorldOptions,
} from '../../../activities/agent-eval-support.js';

/** Plays a rollout to its end on two workers in turn, over one store; answers what is left of it. */
async function played(options: WorldOptions) {
  const world = deskWorld({ ...BOOKING, ...options });
  await world.prepared();
  const { result } = await world.play([world.worker(), world.worker()]);
  const { row } = JSON.parse(world.text(rolloutResultKey('desk.001', 0))) as StoredResult;
  const bytes = world.objects.get(row.database ?? '') ?? null;
  const database = await SqliteDatabase.open(bytes, { now: 0, seed: '' });
  const bookings = await database.fetchValue('SELECT COUNT(*) FROM bookings');
  const free = await database.fetchValue('SELECT free FROM seats');
  database.close();
  return { result, bookings, free, hash: row.content_hash, ran: world.ran, asked: world.asked.length };
}

/** Dies once, at the n-th write, and says which that was. */
function dyingAt(write: number, when: 'before' | 'after') {
  let writes = 0;
  let died: string | null = null;
  const onWrite = (key: string, now: 'before' | 'after') => {
    if (now === 'before') writes += 1;
    if (writes !== write || now !== when || died !== null) return;
    died = key;
    throw new Error('killed');
  };
  return { onWrite, died: () => died };
}

/** A tool that dies once in the middle of its booking, when half of it is done. */
function dyingTools() {
  const desk = deskTools();
  let died = false;
  const call = desk.registry.call.bind(desk.registry);
  desk.registry.call = async (asked, context, options) => {
    const answer = await call(asked, context, options);
    if (asked.name !== 'book' || died) return answer;
    died = true;
    throw new Error('killed');
  };
  return desk;
}

/** The agent books and says so; that is all. */
const BOOKING: WorldOptions = {
  row: { sim_user_prompt: null, end_goal_sql: 'SELECT COUNT(*) = 1 FROM bookings' },
  agent: ({ call }) => (call.ordinal === 0 ? calls(['book', { flight: 1 }]) : says('It is booked.')),
};
/** Of the database where nobody dies. */
const HASH = '998b030f8ffe4aa37d39b6b9a4a319b54722320d04a1422ccc33bf950071592e';
const SOUND = { result: { status: 'done', score: 1, error: null }, bookings: 1, free: 1, hash: HASH };
/** Seed, reply, version, call, reply, database, result. */
const WRITES = [1, 2, 3, 4, 5, 6, 7];

describe('one seat is booked, and the database ends up the same, where a worker dies', () => {
  test('never', async () => {
    expect(await played({})).toMatchObject({ ...SOUND, ran: ['book'], asked: 2 });
  });

  test.each(WRITES)('before its write %i', async (write) => {
    const crash = dyingAt(write, 'before');
    expect(await played({ onWrite: crash.onWrite })).toMatchObject(SOUND);
    expect(crash.died()).not.toBeNull();
  });

  test.each(WRITES)('after its write %i', async (write) => {
    const crash = dyingAt(write, 'after');
    // What is stored is not asked for again.
    expect(await played({ onWrite: crash.onWrite })).toMatchObject({ ...SOUND, asked: 2 });
    expect(crash.died()).not.toBeNull();
  });

  test('in the middle of the booking', async () => {
    expect(await played({ tools: dyingTools })).toMatchObject({ ...SOUND, ran: ['book', 'book'], asked: 2 });
  });
});

test('two workers that make the same booking at once make one, and continue from the same', async () => {
  const world = deskWorld(BOOKING);
  await world.prepared();
  const [one, other] = [world.worker(), world.worker()];
  const at = await one().beginRollout(world.name);
  const begin = { agent_turns: 0, user_turns: 0, user_faults: 0, at };
  await one().agentTurn({ ...world.name, place: begin });
  const place = { ...begin, agent_turns: 1 };
  const input = { ...world.name, place, index: 0, checks_goal: false };
  const [first, second] = await Promise.all([one().toolCall(input), other().toolCall(input)]);
  expect(first).toEqual(second);
  expect(world.ran).toEqual(['book', 'book']);
  expect((await world.play([one, other])).result.score).toBe(1);
  const hash = (JSON.parse(world.text(rolloutResultKey('desk.001', 0))) as StoredResult).row.content_hash;
  expect(hash).toBe(HASH);
});

test('another experiment with the same seed comes to the same database, and one with another seed does not', async () => {
  expect((await played({ uri: 's3://bucket/results/again' })).hash).toBe(HASH);
  expect((await played({ config: { seed: 1 } })).hash).not.toBe(HASH);
});
