import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallRecord } from '../../src/contracts/language-model.js';
import type { ResultRow } from '../../src/contracts/results.js';
import type { Metrics } from '../../src/kinds/run/results.js';
import { openStore } from '../../src/storage/open.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { IS_NIGHT } from '../support/nightly.js';
import {
  findProduction,
  mustSkipProduction,
  type ProductionServer,
  startProduction,
} from '../support/production-server.js';
import { findVersitygw, mustSkip, type S3Server, startS3Server } from '../support/s3-server.js';
import {
  cutOffIn,
  type Running,
  sumsConfig,
  timeless,
  timelessMetrics,
  until,
  untilIn,
  Workplace,
} from '../support/workplace.js';

const WORKERS = 3;
const LANES = 9;
const SAMPLES = IS_NIGHT ? 600 : 60;
const SEQUENTIAL_SAMPLES = IS_NIGHT ? 200 : 30;
/** Milliseconds: long enough for calls to be in flight whenever something dies. */
const LATENCY = 150;
const KINDS = ['independent', 'remembering'] as const;
type Kind = (typeof KINDS)[number];

const CURRENT = resolve('.');

const found = await findProduction();
const versitygw = await findVersitygw();
const isMissing = [mustSkipProduction(found), mustSkip(versitygw)].includes(true);

/** The package as it is built, but for its version. */
async function nextVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-next-'));
  const manifest = JSON.parse(await readFile('package.json', 'utf8'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: '99.0.0' }));
  await cp('dist', join(folder, 'dist'), { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  return folder;
}

describe.skipIf(isMissing)('Temporal on PostgreSQL, results in S3, and workers that share no disk', () => {
  let provider: FakeProvider;
  let s3: S3Server;
  let server: ProductionServer;
  let next: string;
  /** A machine each. */
  const places: Workplace[] = [];
  const workers: Running[] = [];
  let command: Workplace;

  beforeAll(async () => {
    if ('missing' in found) return;
    provider = await startFakeProvider('openai', { latencyMs: LATENCY });
    s3 = await startS3Server();
    server = await startProduction(found, process.env.REPRISE_TEMPORAL_BIN as string);
    next = await nextVersion();
    const environment = {
      ...s3.environment,
      TEMPORAL_ADDRESS: server.address,
      REPRISE_ALLOWED_SERVERS: provider.baseUrl,
      REPRISE_PAYLOAD_STORE: `s3://${s3.bucket}/payloads`,
    };
    command = await Workplace.make(environment);
    for (let place = 0; place < WORKERS; place++) places.push(await Workplace.make(environment));
    expect((await command.reprise(['setup'])).code).toBe(0);
    workers.push(...(await Promise.all(places.map((place) => place.worker()))));
  });

  afterAll(async () => {
    await provider?.close();
    for (const place of [...places, command]) await place?.dispose();
    await server?.stop();
    await s3?.stop();
    if (next !== undefined) await rm(next, { recursive: true, force: true });
  });

  /** The configs of both runs. Every third sum is told wrong at first, so that trials and memories differ. */
  const configOf: Record<Kind, (name: string) => object> = {
    independent: (name) =>
      sumsConfig(provider.baseUrl, SAMPLES, {
        name,
        runtime: { concurrency: LANES, num_trials: 2, early_stop_on_success: true },
        output: { results_dir: `s3://${s3.bucket}/team`, save_memory_path: null },
      }),
    remembering: (name) =>
      sumsConfig(provider.baseUrl, SEQUENTIAL_SAMPLES, {
        name,
        runtime: { memory_scope: 'run' },
        memory: { _type: 'history_list', max_length: 30 },
        agent: { type: 'history_agent', history_k: 4 },
        output: { results_dir: `s3://${s3.bucket}/team`, save_memory_path: null },
      }),
  };

  async function begin(kind: Kind, name: string): Promise<void> {
    await command.write(`${name}.yaml`, configOf[kind](name));
    const { code, stderr } = await command.reprise(['run', `${name}.yaml`, '--detach']);
    expect(code, stderr).toBe(0);
  }

  async function text(key: string): Promise<string> {
    const store = openStore(`s3://${s3.bucket}/team`, { environment: s3.environment });
    return (await store.readText(key)) ?? '';
  }

  const lines = async <Row>(key: string): Promise<Row[]> =>
    (await text(key))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);

  async function end(name: string) {
    await (await command.client()).workflow.getHandle(name).result();
    return {
      metrics: JSON.parse(await text(`${name}/metrics.json`)) as Metrics,
      rows: await lines<ResultRow>(`${name}/results.jsonl`),
      calls: await lines<CallRecord>(`${name}/calls.jsonl`),
    };
  }

  async function works(place: Workplace, version: string): Promise<Running> {
    const running = place.startProgram(process.execPath, [join(version, 'dist', 'cli', 'main.js'), 'worker']);
    await untilIn(running, 'the worker works', () => running.output().includes('Working on'));
    return running;
  }

  async function replaced(index: number, version: string): Promise<void> {
    workers[index] = await works(places[index] as Workplace, version);
  }

  /** What befalls a team's machines, in turn. */
  const blows: Record<string, () => Promise<void>> = {
    'a worker dies, and another takes its place': async () => {
      await (places[0] as Workplace).kill(workers[0] as Running);
      await replaced(0, CURRENT);
    },
    'the server dies': () => server.restart(),
    'the database is ended in the middle of its transactions': () => server.database.restart(),
    'the store is unreachable for a while': async () => {
      await s3.kill();
      await sleep(2000);
      await s3.restart();
    },
    'the power fails everywhere': async () => {
      await Promise.all(places.map((place, index) => place.kill(workers[index] as Running)));
      await s3.kill();
      await server.database.restart();
      await server.restart();
      await s3.restart();
      await Promise.all(places.map((_, index) => replaced(index, CURRENT)));
    },
    'each worker in turn makes room for one of the next version': async () => {
      for (const [index, worker] of workers.entries()) {
        worker.process.kill('SIGTERM');
        expect((await worker.done).code).toBe(0);
        await replaced(index, next);
      }
    },
  };

  /** Keeps replies back from `calls` on until a blow is over: on a slow machine the runs would end before the next one. */
  async function askingAtMost(calls: number, blow: () => Promise<void>): Promise<void> {
    let send: (() => void) | undefined;
    const watch = setInterval(() => {
      if (provider.statistics.calls >= calls) send ??= provider.hold();
    }, 20);
    try {
      await blow();
    } finally {
      clearInterval(watch);
      send?.();
    }
  }

  it('two runs side by side end as undisturbed ones, whatever dies', async () => {
    provider.intercept = ({ lastUserText }) =>
      /\d*[37] \+/.test(lastUserText) ? { kind: 'reply', text: '-1' } : undefined;
    for (const kind of KINDS) await begin(kind, `calm-${kind}`);
    const calm = { independent: await end('calm-independent'), remembering: await end('calm-remembering') };
    expect(calm.independent.metrics).toMatchObject({ status: 'done', samples: SAMPLES, errors: 0 });
    expect(calm.independent.metrics.lm_calls).toBeGreaterThan(SAMPLES);
    expect(calm.remembering.metrics).toMatchObject({ status: 'done', samples: SEQUENTIAL_SAMPLES });

    const { calls: before, repeated: repeatedBefore } = provider.statistics;
    const expected = calm.independent.metrics.lm_calls + calm.remembering.metrics.lm_calls;
    expect(before).toBe(expected);
    for (const kind of KINDS) await begin(kind, `storm-${kind}`);
    const names = Object.keys(blows);
    for (const [index, name] of names.entries()) {
      const target = before + Math.floor((expected * (index + Math.random())) / (names.length + 1));
      await until(
        `call ${target - before} arrives, and then ${name}`,
        () => provider.statistics.calls >= target && provider.statistics.inFlight > 0,
      );
      const isLast = index === names.length - 1;
      const most = isLast ? Infinity : before + Math.floor((expected * (index + 1)) / (names.length + 1));
      await askingAtMost(most, blows[name] as () => Promise<void>);
    }
    const asked = () => provider.statistics.calls - before;
    let cutOff = 0;
    for (const kind of KINDS) {
      const { metrics, rows, calls } = await end(`storm-${kind}`);
      const named = (figures: object) => ({ ...figures, name: '', experiment: '' });
      expect(named(timelessMetrics(metrics))).toEqual(named(timelessMetrics(calm[kind].metrics)));
      expect(timeless(rows)).toEqual(timeless(calm[kind].rows));
      expect(calls).toHaveLength(calm[kind].calls.length);
      cutOff += cutOffIn(metrics);
    }
    // Only what was in flight where workers died, once one of them and once all: no server, database or store that dies,
    // and no worker that ends in order, repeats a call.
    const mostInFlight = 2 * (LANES + 1);
    expect(asked() - expected).toBeLessThanOrEqual(cutOff);
    expect(cutOff).toBeLessThanOrEqual(mostInFlight);
    expect(provider.statistics.repeated - repeatedBefore).toBeLessThanOrEqual(mostInFlight);
    for (const worker of workers) expect(worker.output()).not.toMatch(/nondetermin/i);
    for (const place of places) expect(existsSync(place.path('results'))).toBe(false);
  });
});
