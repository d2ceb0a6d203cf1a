import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqliteDatabase } from '../../src/databases/sqlite-database.js';
import type { RolloutRow } from '../../src/kinds/agent-eval/contracts.js';
import type { AgentEvalMetrics } from '../../src/kinds/agent-eval/results.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { openStore } from '../../src/storage/open.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { type OwnServer, startServerFor } from '../support/own-server.js';
import { findVersitygw, mustSkip, type S3Server, startS3Server } from '../support/s3-server.js';
import {
  agentEvalIn,
  isFull,
  notesIn,
  seatRow,
  seatsConfig,
  seatsReply,
  timelessRollouts,
  writeSeats,
} from '../support/seats-bundle.js';
import { cutOffIn, type Running, until, Workplace } from '../support/workplace.js';

const ROWS = 12;
const ROLLOUTS = 3;
const CONCURRENCY = 6;
const LATENCY = 100;

const versitygw = await findVersitygw();

/** Each works in a folder of its own. All that they have in common is the store, and the bundle, which nobody writes. */
describe.skipIf(mustSkip(versitygw))('two workers that share no disk', () => {
  let provider: FakeProvider;
  let s3: S3Server;
  let server: OwnServer;
  let bundle: Workplace;
  let one: Workplace;
  let other: Workplace;

  beforeAll(async () => {
    provider = await startFakeProvider('openai', { reply: seatsReply });
    s3 = await startS3Server();
    bundle = await Workplace.make();
    one = await Workplace.make({ ...s3.environment });
    server = await startServerFor(one, []);
    other = await Workplace.make({ ...one.environment });
    for (const place of [one, other]) {
      place.environment.SEATS_LOG = place.path('tools.log');
      place.environment.SEATS_HELD = place.path('held');
      place.environment.REPRISE_ALLOWED_FOLDERS = [place.folder, bundle.folder].join(delimiter);
    }
    await writeSeats(bundle, ROWS, '.');
  });

  afterAll(async () => {
    await provider.close();
    for (const place of [one, other, bundle]) await place.dispose();
    await server.stop();
    await s3.stop();
  });

  const config = (name: string, results_dir: string) =>
    seatsConfig(provider.baseUrl, bundle.path('task.jsonl'), {
      name,
      rollouts: ROLLOUTS,
      concurrency: CONCURRENCY,
      output: { results_dir },
    });

  /** What booked and waiting passengers a rollout's last database has, and the hash of all that it holds. */
  async function endOf(store: ArtifactStore, { database }: RolloutRow) {
    const bytes = await store.read(`shared/${database}`);
    const opened = await SqliteDatabase.open(bytes, { now: 0, seed: '' });
    try {
      return {
        bookings: await opened.fetchValue('SELECT COUNT(*) FROM bookings'),
        taken: await opened.fetchValue('SELECT 2 - free FROM flights'),
        waiting: await opened.fetchValue('SELECT COUNT(*) FROM waiting'),
        hash: opened.contentHash(),
      };
    } finally {
      opened.close();
    }
  }

  it('one dies in the middle of a booking, and each booking is made once', async () => {
    await one.write('calm.yaml', config('calm', 'results'));
    const calmly = await one.reprise(['agent-eval', 'calm.yaml']);
    expect(calmly.code, calmly.stderr).toBe(0);
    const calm = await agentEvalIn(one.path('results', 'calm'));
    const calmNotes = await notesIn(one.path('tools.log'));
    expect(calmNotes).toHaveLength(calm.metrics.tool_calls - calm.metrics.tool_calls_failed);
    await rm(one.path('tools.log'));

    const workers: Running[] = await Promise.all([one.worker(), other.worker()]);
    provider.latencyMs = LATENCY;
    const address = `s3://${s3.bucket}/team`;
    await one.write('shared.yaml', config('shared', address));
    const started = await one.reprise(['agent-eval', 'shared.yaml', '--detach']);
    expect(started.code, started.stderr).toBe(0);
    expect(started.stderr).toContain('needs a worker');
    const notes = async () => [await notesIn(one.path('tools.log')), await notesIn(other.path('tools.log'))];
    await until('both have made tool calls', async () => (await notes()).every((made) => made.length > 0));

    // From now on a booking of this worker stops in its middle: the seat is taken, the booking is not written yet.
    await one.write('held', '');
    const [dying, living] = workers as [Running, Running];
    await until('it is in the middle of a booking', () => existsSync(one.path(`held.${dying.process.pid}`)));
    await one.kill(dying);
    provider.latencyMs = 0;
    await (await other.client()).workflow.getHandle('shared').result();

    const store = openStore(address, { environment: s3.environment });
    const metrics = JSON.parse((await store.readText('shared/metrics.json')) ?? '') as AgentEvalMetrics;
    const { status, rollouts, errors, mean_reward, tool_calls, lm_calls } = calm.metrics;
    expect({ status, rollouts, errors }).toEqual({ status: 'done', rollouts: ROWS * ROLLOUTS, errors: 0 });
    expect(metrics).toMatchObject({ status, rollouts, errors, mean_reward, tool_calls, lm_calls });
    expect(cutOffIn(metrics)).toBeLessThanOrEqual(CONCURRENCY);
    const lines = ((await store.readText('shared/results.jsonl')) ?? '').trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as RolloutRow);
    expect(timelessRollouts(rows)).toEqual(timelessRollouts(calm.rows));
    const full = new Set(
      Array.from({ length: ROWS }, (_, index) => index)
        .filter(isFull)
        .map(seatRow),
    );
    for (const row of rows) {
      const { bookings, taken, waiting, hash } = await endOf(store, row);
      expect(hash).toBe(row.content_hash);
      const booked = full.has(row.task_id) ? 0 : 1;
      expect({ bookings, waiting }).toEqual({ bookings: booked, waiting: 1 - booked });
      if (booked === 1) expect(taken).toBe(1);
    }
    const [ofOne = [], ofOther = []] = await notes();
    expect(new Set([...ofOne, ...ofOther])).toEqual(new Set(calmNotes));
    // What it had begun and not written down when it died, the other one did again.
    expect(ofOne.length + ofOther.length - calmNotes.length).toBeLessThanOrEqual(CONCURRENCY);
    expect(await readdir(other.folder)).not.toContain('results');

    living.process.kill('SIGTERM');
    expect((await living.done).code).toBe(0);
  }, 180_000);
});
