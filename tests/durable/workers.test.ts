import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { IS_NIGHT } from '../support/nightly.js';
import { dynamicConfig, type OwnServer, startServerFor } from '../support/own-server.js';
import {
  type Running,
  sumsConfig,
  timeless,
  timelessMetrics,
  until,
  Workplace,
} from '../support/workplace.js';

const SLOW = `
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Environment, type ResetOutcome, type StepOutcome } from 'reprise';

/** Says which process takes the step, and waits until it may be taken. */
export class SlowEnv extends Environment {
  async reset(): Promise<ResetOutcome> {
    return { state: {}, obs: this.task.question };
  }
  async step(state: object, action: string): Promise<StepOutcome> {
    writeFileSync(new URL('./stepping', import.meta.url), String(process.pid));
    while (!existsSync(new URL('./go', import.meta.url))) await sleep(50);
    const correct = action === this.task.target;
    return { state: {}, obs: null, done: true, info: {}, reward: correct ? 1 : 0,
      feedback: { correct, target: this.task.target ?? '', message: 'judged' } };
  }
}
`;

/** Samples of runs that continue as new many times. */
const SAMPLES = IS_NIGHT ? 120 : 60;

describe('workers on a server of the user’s own', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let server: OwnServer;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai');
    // It suggests to continue as new after a hundred events instead of thousands.
    const settings = dynamicConfig({
      'limit.historyCount.suggestContinueAsNew': 100,
      'history.transferProcessorMaxPollRPS': 2000,
    });
    const database = ['--db-filename', place.path('own-server.db'), '--sqlite-pragma', 'synchronous=OFF'];
    server = await startServerFor(place, [...database, ...settings]);
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
    await server.stop();
  });

  it('reprise setup registers the search attributes, once and again', async () => {
    const first = await place.reprise(['setup']);
    expect(first.code).toBe(0);
    expect(first.stdout).toContain('RepriseExperiment');
    expect((await place.reprise(['setup'])).code).toBe(0);
    const client = await place.client();
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({
      namespace: 'default',
    });
    expect(Object.keys(customAttributes ?? {})).toEqual(
      expect.arrayContaining(['RepriseExperiment', 'RepriseKind', 'RepriseModel', 'ReprisePhase']),
    );
  });

  it.each([
    ['sample', { memory_scope: 'sample', concurrency: 10, num_trials: 2 }],
    ['run', { memory_scope: 'run', num_trials: 2 }],
  ])('a run of memory scope %s continues as new many times and loses nothing', async (scope, runtime) => {
    provider.intercept = ({ lastUserText }) =>
      /\d*[37] \+/.test(lastUserText) ? { kind: 'reply', text: '-1' } : undefined;
    const more = {
      runtime,
      memory: { _type: 'history_list', max_length: 20 },
      agent: { type: 'history_agent', history_k: 4 },
    };
    const { calls } = provider.statistics;
    await place.write(
      `${scope}.yaml`,
      sumsConfig(provider.baseUrl, SAMPLES, { name: `renewed-${scope}`, ...more }),
    );
    const { code, stderr } = await place.reprise(['run', `${scope}.yaml`]);
    expect(stderr).not.toMatch(/nondetermin/i);
    expect(code).toBe(0);
    const metrics = await place.metrics(`renewed-${scope}`);
    expect(metrics).toMatchObject({
      status: 'done',
      samples: SAMPLES,
      episodes: 2 * SAMPLES,
      lm_calls: 2 * SAMPLES,
      lm_calls_repeated: 0,
    });
    expect(provider.statistics.calls).toBe(calls + 2 * SAMPLES);
    expect(metrics.correct).toBe(0.8 * SAMPLES);
    const rows = await place.rows(`renewed-${scope}`);
    expect(rows.map(({ id, trial }) => `${id}/${trial}`)).toEqual(
      Array.from({ length: 2 * SAMPLES }, (_, index) => `sum-${Math.floor(index / 2)}/${index % 2}`),
    );
    // Many executions, and no history that grew past its limits by more than the calls in flight.
    const client = await place.client();
    let renewals = 0;
    for await (const { status, historyLength } of client.workflow.list({
      query: `WorkflowId = 'renewed-${scope}'`,
    })) {
      if (status.name === 'CONTINUED_AS_NEW') renewals += 1;
      expect(historyLength).toBeLessThan(100 + 10 * 12);
    }
    expect(renewals).toBeGreaterThan(1);
    provider.intercept = undefined;
  });

  it.each([
    [1, ['sum-0 · act']],
    [2, ['sum-0 · trial 1 · act', 'sum-0 · trial 2 · act']],
  ])('says beside a call in the UI whose it is, with %i trials a sample', async (num_trials, expected) => {
    const name = `named-${num_trials}`;
    const runtime = { memory_scope: 'sample', num_trials };
    await place.write(`${name}.yaml`, sumsConfig(provider.baseUrl, 1, { name, runtime }));
    expect((await place.reprise(['run', `${name}.yaml`])).code).toBe(0);
    const client = await place.client();
    const { events } = await client.workflow.getHandle(name).fetchHistory();
    const summaries = (events ?? []).flatMap(
      ({ activityTaskScheduledEventAttributes: scheduled, userMetadata }) =>
        scheduled?.activityType?.name === 'generate'
          ? [JSON.parse(Buffer.from(userMetadata?.summary?.data ?? []).toString())]
          : [],
    );
    expect(summaries).toEqual(expected);
  });

  it('a rate-limited run finds its way to the next worker, where the only one has died', async () => {
    const config = sumsConfig(provider.baseUrl, 30, { name: 'orphaned', lm: { requests_per_second: 4 } });
    await place.write('orphaned.yaml', config);
    const first = await place.worker();
    const { calls } = provider.statistics;
    expect((await place.reprise(['run', 'orphaned.yaml', '--detach'])).code).toBe(0);
    await until('some calls are made', () => provider.statistics.calls > calls + 8);
    await place.kill(first);
    const second = place.start(['worker']);
    await (await place.client()).workflow.getHandle('orphaned').result();
    expect(await place.metrics('orphaned')).toMatchObject({ status: 'done', correct: 30, lm_calls: 30 });
    second.process.kill('SIGTERM');
    expect((await second.done).code).toBe(0);
  });

  it('two workers share a run, and one of them dies', async () => {
    const calm = sumsConfig(provider.baseUrl, 60, { name: 'alone' });
    await place.write('alone.yaml', calm);
    expect((await place.reprise(['run', 'alone.yaml'])).code).toBe(0);
    const workers = await Promise.all([place.worker(), place.worker()]);
    provider.latencyMs = 300;
    await place.write('together.yaml', sumsConfig(provider.baseUrl, 60, { name: 'together' }));
    const { calls } = provider.statistics;
    const started = await place.reprise(['run', 'together.yaml', '--detach']);
    expect(started.stderr).toContain('needs a worker');
    await until('a third is done', () => provider.statistics.calls > calls + 20);
    await place.kill(workers[0] as Running);
    await (await place.client()).workflow.getHandle('together').result();
    provider.latencyMs = 0;
    const strip = (metrics: object) => ({ ...metrics, name: '', experiment: '' });
    expect(strip(timelessMetrics(await place.metrics('together')))).toEqual(
      strip(timelessMetrics(await place.metrics('alone'))),
    );
    expect(timeless(await place.rows('together'))).toEqual(timeless(await place.rows('alone')));
    // The next test has workers of its own, and looks for theirs.
    await place.kill(workers[1] as Running);
  });

  it('a step of a user’s own environment is given to another worker as soon as a call is', async () => {
    await place.write('own/slow.ts', SLOW);
    const workers = await Promise.all([place.worker(), place.worker()]);
    const dataset = { task_type: 'custom', env_class: 'SlowEnv', env_file: 'own/slow.ts' };
    await place.write('stepping.yaml', sumsConfig(provider.baseUrl, 1, { name: 'stepping', dataset }));
    expect((await place.reprise(['run', 'stepping.yaml', '--detach'])).code).toBe(0);
    const stepping = () => readFile(place.path('own', 'stepping'), 'utf8').catch(() => '');
    await until('a worker takes the step', async () => (await stepping()) !== '');
    const pid = Number(await stepping());
    await place.kill(workers.find((worker) => worker.process.pid === pid) as Running);
    await place.write('own/go', '');
    const client = await place.client();
    await client.workflow.getHandle('stepping').result();
    expect(await place.metrics('stepping')).toMatchObject({ status: 'done', correct: 1, errors: 0 });
    const { events } = await client.workflow.getHandle('stepping').fetchHistory();
    const timeouts = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityType?.name === 'stepEnvironment'
        ? [String(scheduled.heartbeatTimeout?.seconds)]
        : [],
    );
    expect(timeouts).toEqual(['10']);
  });
});
