import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { takeUpdate } from '../../src/client/control.js';
import type { RunProgress } from '../../src/kinds/run/contracts.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { atNight, IS_NIGHT } from '../support/nightly.js';
import { dynamicConfig, type OwnServer, startServerFor } from '../support/own-server.js';
import { cutOffIn, type Running, sumsConfig, until, Workplace } from '../support/workplace.js';

/** Events after which the server suggests to continue as new; by itself it does after thousands. */
const SUGGESTED = 150;

/** Samples, and maximum calls, of a run with many lanes. */
const MANY = IS_NIGHT ? ([2000, 1200] as const) : ([800, 500] as const);

const STEPS = 3;
const COUNTING = `
import { Environment } from 'reprise';
export class CountingEnv extends Environment {
  async reset() { return { state: 1, obs: this.task.question }; }
  async step(state) {
    const done = state === ${STEPS};
    return { state: state + 1, obs: done ? null : this.task.question, done, info: {},
      feedback: { correct: done, target: '', message: String(state) } };
  }
}
`;

describe('a run whose history grows long', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let server: OwnServer;
  let client: Client;
  let worker: Running;
  let before: number;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai');
    const settings = dynamicConfig({
      'limit.historyCount.suggestContinueAsNew': SUGGESTED,
      'history.transferProcessorMaxPollRPS': 2000,
    });
    const database = ['--db-filename', place.path('own-server.db'), '--sqlite-pragma', 'synchronous=OFF'];
    server = await startServerFor(place, [...database, ...settings]);
    await place.reprise(['setup']);
    client = await place.client();
    worker = await place.worker();
  });

  beforeEach(() => {
    before = provider.statistics.calls;
  });

  afterEach(() => {
    provider.latencyMs = 0;
    provider.held = undefined;
    provider.intercept = undefined;
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
    await server.stop();
  });

  const made = () => provider.statistics.calls - before;

  async function begin(name: string, samples: number, more: Record<string, unknown>): Promise<void> {
    await place.write(`${name}.yaml`, sumsConfig(provider.baseUrl, samples, { name, ...more }));
    const { code, stderr } = await place.reprise(['run', `${name}.yaml`, '--detach']);
    expect(stderr).not.toContain('Error');
    expect(code).toBe(0);
  }

  async function phaseOf(name: string): Promise<string> {
    const { phase } = await client.workflow.getHandle(name).query<RunProgress>('progress');
    return phase;
  }

  /** Asks for one thing after the other, each some events of the run's history, until the run is over. */
  async function ask(name: string, lanes: readonly number[], everyMs = 60): Promise<void> {
    const handle = client.workflow.getHandle(name);
    for (let turn = 0; (await handle.describe()).status.name === 'RUNNING'; turn += 1) {
      try {
        await takeUpdate(handle, 'setConcurrency', lanes[turn % lanes.length]);
      } catch (error) {
        // It has come to its end meanwhile.
        if (['running', 'paused', 'stopping'].includes(await phaseOf(name))) throw error;
      }
      await sleep(everyMs);
    }
  }

  /** Its executions; it continued as new once less. */
  async function executionsOf(name: string): Promise<number> {
    let executions = 0;
    const ended = async () => {
      executions = 0;
      // The list may not hold the next one yet when the one before is over.
      let isOver = false;
      for await (const { status } of client.workflow.list({
        query: `WorkflowId = '${name}'`,
      })) {
        if (status.name === 'RUNNING') return false;
        isOver ||= status.name !== 'CONTINUED_AS_NEW';
        executions += 1;
      }
      return isOver;
    };
    await until(`${name} is over`, ended, 150_000).catch(async (error: Error) => {
      const handle = client.workflow.getHandle(name);
      const { raw } = await handle.describe();
      const state = { ...(await handle.query<RunProgress>('progress')), activities: raw.pendingActivities };
      throw new Error(`${error.message}: ${JSON.stringify(state)}`);
    });
    return executions;
  }

  async function hasGoneOn(name: string, times: number): Promise<boolean> {
    const query = `WorkflowId = '${name}' AND ExecutionStatus = 'ContinuedAsNew'`;
    return (await client.workflow.count(query)).count >= times;
  }

  it.each([
    ['one lane', IS_NIGHT ? 160 : 80, 1000, [1], 'call'],
    ['a hundred lanes', ...MANY, [100, 80], 'call'],
    ['a hundred lanes in bundles', ...MANY, [100, 80], 'unit'],
  ])(
    'with %s it loses nothing, also where its worker is killed, and never passes its limit',
    async (what, samples, limit, lanes, grain) => {
      const name = what.replaceAll(' ', '-');
      const [concurrency] = lanes;
      const isLimited = limit < samples;
      provider.latencyMs = 40;
      await begin(name, samples, { runtime: { concurrency, grain }, limits: { max_lm_calls: limit } });
      const asking = ask(name, lanes);
      await until('half is done', () => made() > Math.min(samples, limit) / 2, 120_000);
      await place.kill(worker);
      worker = await place.worker();
      const [executions] = await Promise.all([executionsOf(name), asking]);
      // Bundles leave little in the history.
      if (grain === 'call') expect(executions).toBeGreaterThan(3);
      const metrics = await place.metrics(name);
      const status = isLimited ? 'limit_reached' : 'done';
      const { lm_calls: calls, unrecorded } = metrics;
      const cutOff = cutOffIn(metrics);
      expect(metrics).toMatchObject({ status, samples: calls, correct: calls, errors: 0 });
      // What was in flight when the worker died, and no more; a limit counts it.
      const repeated = made() - calls;
      expect(repeated).toBeLessThanOrEqual(concurrency as number);
      expect(metrics.lm_calls_repeated).toBeLessThanOrEqual(repeated);
      expect(repeated).toBeLessThanOrEqual(cutOff);
      expect(unrecorded?.requests ?? 0).toBe(cutOff);
      const counted = calls + cutOff;
      if (isLimited) expect(counted).toBeGreaterThanOrEqual(limit);
      if (isLimited) expect(counted).toBeLessThanOrEqual(limit + (concurrency as number));
      else expect(calls).toBe(samples);
      const ids = (await place.rows(name)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(calls);
    },
    240_000,
  );

  it('keeps what samples learn, however large it grows', async () => {
    const samples = 40;
    provider.latencyMs = 40;
    provider.intercept = ({ lastUserText }) => {
      const sum = [...lastUserText.matchAll(/(\d+) \+ (\d+)/g)].at(-1);
      // The memory of twenty of them is too large for a message between workflows.
      return { kind: 'reply', text: `${'so '.repeat(3000)}${Number(sum?.[1]) + Number(sum?.[2])}` };
    };
    await begin('learning', samples, {
      runtime: { memory_scope: 'run' },
      memory: { _type: 'history_list', max_length: 60 },
      agent: { type: 'history_agent', history_k: 2 },
      limits: { max_lm_calls: 1000 },
    });
    const handle = client.workflow.getHandle('learning');
    while ((await handle.describe()).status.name === 'RUNNING') {
      // Of a run whose samples go one by one, and which is not paused, this asks nothing.
      await takeUpdate(handle, 'resume').catch(() => undefined);
      await sleep(60);
    }
    provider.intercept = undefined;
    expect(await executionsOf('learning')).toBeGreaterThan(2);
    expect(await place.metrics('learning')).toMatchObject({ status: 'done', samples, lm_calls: samples });
    expect(made()).toBe(samples);
    const memory = JSON.parse(await readFile(place.path('results', 'learning', 'memory.json'), 'utf8'));
    const ids = memory.entries.map(({ sample_id }: { sample_id: string }) => sample_id);
    // A question, an answer and a verdict each.
    expect(ids).toEqual(Array.from({ length: 60 }, (_, at) => `sum-${samples - 20 + Math.floor(at / 3)}`));
  }, 180_000);

  it.each([
    ['is paused', 'done'],
    ...(IS_NIGHT ? [['is stopped', 'stopped']] : []),
    ['is cancelled', 'cancelled'],
  ])(
    'a run that %s while it hands over ends as asked',
    async (what, status) => {
      const name = what.replaceAll(' ', '-');
      const lanes = 30;
      // While it is paused, a lane that has just opened a sample hands over nothing: its first call waits for the end
      // of the pause. So here every lane has one sample, and has asked about it before.
      const samples = status === 'done' ? lanes : 2 * lanes;
      await place.write('counting.ts', COUNTING);
      // Some lanes are in the middle of an episode and have handed it over when others still wait for a reply.
      const begun = new Set<string>();
      const { finished } = provider.statistics;
      const answered = () => provider.statistics.finished - finished;
      let release = () => {};
      const steered = new Promise<void>((resolve) => {
        release = resolve;
      });
      provider.latencyMs = 200;
      provider.intercept = ({ lastUserText }) => {
        const [question = ''] = /What is \d+/.exec(lastUserText) ?? [];
        const isFirst = !begun.has(question) && begun.size < lanes;
        provider.held = isFirst && begun.size % 3 === 0 ? steered : undefined;
        begun.add(question);
        return undefined;
      };
      const dataset = { task_type: 'custom', env_class: 'CountingEnv', env_file: 'counting.ts' };
      await begin(name, samples, { dataset, runtime: { concurrency: lanes, max_steps_per_episode: STEPS } });
      // No more than each lane's first call: by then it may itself wait for those that are held, to continue as new.
      await until('all have asked, and some have an answer', () => begun.size >= lanes && answered() >= 20);
      const handle = client.workflow.getHandle(name);
      const { runId: first } = await handle.describe();
      const execution = client.workflow.getHandle(name, first);
      while ((await execution.describe()).historyLength < SUGGESTED) {
        await takeUpdate(handle, 'setConcurrency', lanes);
      }
      if (status === 'cancelled') await handle.cancel();
      else await takeUpdate(handle, status === 'stopped' ? 'stop' : 'pause');
      release();
      if (status === 'done') {
        await until(
          'it continues in another execution',
          async () => (await handle.describe()).runId !== first,
        );
        expect(await phaseOf(name)).toBe('paused');
        await takeUpdate(handle, 'resume');
      }
      const executions = await executionsOf(name);
      provider.intercept = undefined;
      const metrics = await place.metrics(name);
      expect([metrics.status, metrics.errors]).toEqual([status, 0]);
      if (status === 'cancelled') return;
      expect(metrics.lm_calls).toBe(made());
      expect(executions).toBeGreaterThan(1);
      // A stop lets every episode end that has begun.
      expect(metrics.samples * STEPS).toBe(made());
      expect(metrics.correct).toBe(metrics.samples);
      if (status === 'done') expect(metrics.samples).toBe(samples);
      else expect(metrics.samples).toBeLessThan(samples);
    },
    120_000,
  );

  atNight(
    'a run that is reset to before it continued as new comes to the same end',
    async () => {
      const [name, samples, lanes] = ['reset', 600, 20];
      provider.latencyMs = 200;
      await begin(name, samples, { runtime: { concurrency: lanes } });
      const handle = client.workflow.getHandle(name);
      await until('it has continued', () => hasGoneOn(name, 1));
      // No call is answered meanwhile: nothing is over before.
      const send = provider.hold();
      const what = ['--workflow-id', name, '--type', 'LastContinuedAsNew', '--reason', 'a test'];
      const { code, stderr } = await place.temporal('workflow', 'reset', ...what).finally(send);
      expect(code, stderr).toBe(0);
      await handle.result();
      expect(await place.metrics(name)).toMatchObject({
        status: 'done',
        samples,
        correct: samples,
        errors: 0,
      });
      expect(new Set((await place.rows(name)).map(({ id }) => id)).size).toBe(samples);
      expect(made()).toBeLessThanOrEqual(samples + 2 * lanes);
    },
    120_000,
  );

  it('a run is cancelled that has continued in other executions', async () => {
    provider.latencyMs = 20;
    await begin('renewed', 4000, { runtime: { concurrency: 2 } });
    await until('it has continued twice', () => hasGoneOn('renewed', 2));
    await client.workflow.getHandle('renewed').cancel();
    await executionsOf('renewed');
    const metrics = await place.metrics('renewed');
    expect(metrics.status).toBe('cancelled');
    expect(metrics.samples).toBeGreaterThan(0);
    expect(metrics.samples).toBeLessThan(4000);
  }, 120_000);
});
