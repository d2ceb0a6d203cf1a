import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallRecord } from '../../src/contracts/language-model.js';
import { SqliteDatabase } from '../../src/databases/sqlite-database.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { IS_NIGHT } from '../support/nightly.js';
import {
  agentEvalIn,
  notesIn,
  seatRow,
  seatsBundle,
  seatsConfig,
  seatsReply,
  timelessAgentEval,
  timelessRollouts,
  writeSeats,
} from '../support/seats-bundle.js';
import { cutOffIn, type Running, readLines, until, Workplace } from '../support/workplace.js';

const ROWS = 24;
const ROLLOUTS = 2;
const CONCURRENCY = 8;
const KILLS = IS_NIGHT ? 10 : 2;
/** Milliseconds: long enough for calls to be in flight whenever something dies. */
const LATENCY = 100;

/** What the 48 rollouts come to: who pays follows from the draws of the databases, so from the seed. */
const WHOLE = {
  status: 'done',
  rows: ROWS,
  rollouts_planned: ROWS * ROLLOUTS,
  rollouts: ROWS * ROLLOUTS,
  errors: 0,
  user_faults: { empty: 0, role_swap: 0, early_stop: 0 },
  endings: { user_stop: ROWS * ROLLOUTS },
  agent_turns: 173,
  tool_calls: 89,
  /** The bookings of flights that are full. */
  tool_calls_failed: 12,
  lm_calls: 257,
};

describe('kill -9 of an evaluation, again and again', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', { latencyMs: LATENCY, reply: seatsReply });
    await writeSeats(place, ROWS, 'seats');
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  async function asked(name: string, more: Record<string, unknown> = {}): Promise<string[]> {
    const fields = { name, rollouts: ROLLOUTS, concurrency: CONCURRENCY, ...more };
    await place.write(`${name}.yaml`, seatsConfig(provider.baseUrl, 'seats/task.jsonl', fields));
    return ['agent-eval', `${name}.yaml`];
  }

  const start = (name: string, command: string[]): Running =>
    place.start(command, { SEATS_LOG: place.path(`${name}.log`) });
  const notes = (name: string) => notesIn(place.path(`${name}.log`));
  const folder = (name: string, ...parts: string[]) => place.path('results', name, ...parts);

  /** The hash of what a database file holds. */
  async function hashOf(file: string): Promise<string> {
    const database = await SqliteDatabase.open(await readFile(file), { now: 0, seed: '' });
    try {
      return database.contentHash();
    } finally {
      database.close();
    }
  }

  it(`the same rewards and databases, and nothing finished is done again: ${ROWS} rows × ${ROLLOUTS} rollouts`, async () => {
    const calmCommand = await asked('calm');
    const calmly = await start('calm', calmCommand).done;
    expect(calmly.code, calmly.stderr).toBe(0);
    expect(calmly.stdout).toMatch(/│ agent +│.*\n.*│ user +│/);
    const calm = await agentEvalIn(folder('calm'));
    expect(Object.keys(calm.metrics.by_role ?? {})).toEqual(['agent', 'user']);
    expect(calm.metrics).toMatchObject({ ...WHOLE, lm_calls_repeated: 0 });
    expect(calm.metrics.mean_reward).toBeCloseTo(41 / 48);
    const { calls: callsInCalm } = provider.statistics;
    expect(callsInCalm).toBe(calm.metrics.lm_calls);
    const calmNotes = await notes('calm');
    expect(calmNotes).toHaveLength(WHOLE.tool_calls - WHOLE.tool_calls_failed);
    expect(new Set(calmNotes).size).toBe(calmNotes.length);

    const command = await asked('chaos');
    let running = start('chaos', command);
    const share = WHOLE.lm_calls / (KILLS + 1);
    for (let kill = 1; kill <= KILLS; kill++) {
      // At a point of the evaluation that no clock decides, with a random moment on top.
      const target = callsInCalm + Math.floor(share * (kill - 1 + Math.random()));
      await until(
        `call ${target} arrives`,
        () => provider.statistics.calls >= target && provider.statistics.inFlight > 0,
      );
      if (kill % 2 === 0) {
        // The server: the command starts it again on its database.
        await place.killServer();
      } else {
        await place.kill(running);
        running = start('chaos', command);
      }
    }
    const { code, stderr } = await running.done;
    expect(stderr).not.toMatch(/nondetermin/i);
    expect(code, stderr).toBe(0);

    const chaos = await agentEvalIn(folder('chaos'));
    expect(timelessAgentEval(chaos.metrics)).toEqual(timelessAgentEval(calm.metrics));
    // Rewards and hashes of the databases are among what is compared.
    expect(timelessRollouts(chaos.rows)).toEqual(timelessRollouts(calm.rows));
    for (const { database, content_hash } of chaos.rows) {
      expect(await hashOf(folder('chaos', database as string))).toBe(content_hash);
    }
    const trajectories = (name: string) => readLines<object>(folder(name, 'trajectories.jsonl'));
    expect(await trajectories('chaos')).toEqual(await trajectories('calm'));

    const inFlightAtMost = KILLS * CONCURRENCY;
    const again = provider.statistics.calls - callsInCalm - WHOLE.lm_calls;
    // The provider finished a call and the worker died before it could write the reply down: only those.
    expect(provider.statistics.repeated).toBeLessThanOrEqual(inFlightAtMost);
    expect(again).toBeLessThanOrEqual(inFlightAtMost);
    expect(chaos.metrics.lm_calls_repeated).toBeLessThanOrEqual(again);
    expect(cutOffIn(chaos.metrics)).toBeLessThanOrEqual(inFlightAtMost);
    expect(cutOffIn(chaos.metrics)).toBeGreaterThanOrEqual(again);
    const calls = await readLines<CallRecord>(folder('chaos', 'calls.jsonl'));
    const places = calls.map(({ sample_id, trial, purpose, ordinal }) =>
      [sample_id, trial, purpose, ordinal].join(' '),
    );
    expect(places).toHaveLength(WHOLE.lm_calls);
    expect(new Set(places).size).toBe(WHOLE.lm_calls);
    // A tool that ran twice came to the same, and was stored once.
    const chaosNotes = await notes('chaos');
    expect(new Set(chaosNotes)).toEqual(new Set(calmNotes));
    expect(chaosNotes.length - calmNotes.length).toBeLessThanOrEqual(inFlightAtMost);
    const left = await readdir(folder('chaos'));
    for (const working of ['pending', 'rollouts', 'logs']) expect(left).not.toContain(working);
    const databases = await readdir(folder('chaos', 'runs', seatRow(0)));
    const ends = databases.filter((name) => /^roll_[\da-f-]{36}\.db$/.test(name));
    expect(ends).toHaveLength(ROLLOUTS);
    expect(databases.sort()).toEqual(['base.db', ...ends].sort());
    // Minutes where the machine is busy and every workflow task a replay.
  }, 900_000);

  it('no reply and no tool call that was written down is made again', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => seatRow(index));
    const command = await asked('late', { rows, rollouts: 2 });
    const { calls } = provider.statistics;
    const running = start('late', command);
    await until('a third is done', () => provider.statistics.calls >= calls + 40);
    // Calls that were sent before still get their reply; only those after it hang.
    let hanging = 0;
    provider.intercept = () => {
      hanging += 1;
      return { kind: 'hang', when: 'before_headers' };
    };
    await until('every rollout hangs', () => hanging === CONCURRENCY);
    // What had been done before is written down by the time that the next calls of the rollouts hang.
    await place.kill(running);
    provider.intercept = undefined;
    const { repeated } = provider.statistics;
    const { code, stderr } = await start('late', command).done;
    expect(code, stderr).toBe(0);
    expect(provider.statistics.repeated).toBe(repeated);
    const { metrics, rows: rollouts } = await agentEvalIn(folder('late'));
    expect(metrics).toMatchObject({ status: 'done', rollouts: 24, errors: 0 });
    expect(cutOffIn(metrics)).toBe(CONCURRENCY);
    expect(provider.statistics.calls - calls).toBe(metrics.lm_calls + CONCURRENCY);
    const made = await notes('late');
    expect(made).toHaveLength(metrics.tool_calls - metrics.tool_calls_failed);
    expect(new Set(made).size).toBe(made.length);
    // The first two rollouts of half the rows, as they were in the calm evaluation.
    const calm = (await agentEvalIn(folder('calm'))).rows.filter(
      ({ task_id, trial }) => rows.includes(task_id) && trial < 2,
    );
    expect(timelessRollouts(rollouts)).toEqual(timelessRollouts(calm));
  });

  it('a worker that comes when a reward was edited judges with it as the evaluation began', async () => {
    const command = await asked('edited', { dataset: 'edited/task.jsonl', rollouts: 2, concurrency: 1 });
    await writeSeats(place, 4, 'edited');
    const edited = (score: string) =>
      place.write('edited/reward.ts', seatsBundle(1)['reward.ts']?.replace('done ? 1 : 0', score) ?? '');
    await edited('0.25');
    const { calls } = provider.statistics;
    const first = start('edited', command);
    await until('a rollout is done', () => provider.statistics.calls >= calls + 10);
    await edited('0.75');
    await place.kill(first);
    const { code, stderr } = await start('edited', command).done;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(
      'edited/reward.ts has changed since edited began: it continues with the code that it began with.',
    );
    const { rows } = await agentEvalIn(folder('edited'));
    expect(rows.map(({ reward }) => reward)).toEqual(Array.from({ length: 8 }, () => 0.25));
  });
});
