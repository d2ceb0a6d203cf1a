import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunProgress } from '../../src/kinds/run/contracts.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { sumsConfig, until, Workplace } from '../support/workplace.js';

const SAMPLES = 240;
/** Milliseconds of a slow model: with four lanes, a run of them takes half a minute. */
const LATENCY = 500;

describe('a run in progress', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai');
    await place.dev();
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  const progressOf = async (id: string): Promise<RunProgress> =>
    (await place.client()).workflow.getHandle(id).query<RunProgress>('progress');

  /** Far more samples than a slow model answers before the next command is there. */
  async function begin(name: string, concurrency = 4): Promise<void> {
    provider.latencyMs = LATENCY;
    const calls = provider.statistics.calls;
    const config = sumsConfig(provider.baseUrl, SAMPLES, { name, runtime: { concurrency } });
    await place.write(`${name}.yaml`, config);
    const { code, stdout } = await place.reprise(['run', `${name}.yaml`, '--detach', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id: name,
      how: 'started',
      notes: [expect.stringContaining('Samples'), expect.stringContaining('prompt')],
    });
    await until('calls arrive', () => provider.statistics.calls > calls + concurrency);
  }

  /** Waits for a run's end, with a model that is fast from now on. */
  async function ended(name: string): Promise<void> {
    provider.latencyMs = 0;
    await (await place.client()).workflow.getHandle(name).result();
  }

  it('pauses and continues where it was', async () => {
    await begin('paused');
    expect((await place.reprise(['pause', 'paused'])).code).toBe(0);
    // Between two waves of calls nothing is in flight either, so it has to stay so.
    let seen = { calls: -1, since: 0 };
    await until('no call arrives for three seconds', () => {
      const { calls, inFlight } = provider.statistics;
      if (calls !== seen.calls || inFlight > 0) seen = { calls, since: Date.now() };
      return Date.now() - seen.since > 3000;
    });
    const { calls } = provider.statistics;
    expect((await progressOf('paused')).phase).toBe('paused');
    const { stdout } = await place.reprise(['status', 'paused']);
    expect(stdout).toContain('paused');
    expect(provider.statistics.calls).toBe(calls);
    expect((await place.reprise(['resume', 'paused'])).code).toBe(0);
    await ended('paused');
    const metrics = await place.metrics('paused');
    expect(metrics).not.toHaveProperty('lm_calls_maybe_repeated');
    expect(metrics).toMatchObject({
      status: 'done',
      correct: SAMPLES,
      lm_calls: SAMPLES,
    });
  });

  it('runs as many lanes as it is told', async () => {
    await begin('wider', 1);
    const { maxInFlight } = provider.statistics;
    expect(maxInFlight).toBeLessThan(10);
    expect((await place.reprise(['set-concurrency', 'wider', '15'])).code).toBe(0);
    await until('fifteen calls are in flight at once', () => provider.statistics.maxInFlight === 15);
    await ended('wider');
    expect(provider.statistics.maxInFlight).toBe(15);
  });

  it('stops with what is finished, and is continued without a call made twice', async () => {
    const { calls } = provider.statistics;
    await begin('stopped');
    const { code, stderr } = await place.reprise(['stop', 'stopped']);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    await ended('stopped');
    const stopped = await place.metrics('stopped');
    expect(stopped.status).toBe('stopped');
    expect(stopped.samples).toBeGreaterThan(0);
    expect(stopped.samples).toBeLessThan(SAMPLES);
    expect(stopped.correct).toBe(stopped.samples);
    expect((await place.rows('stopped')).length).toBe(stopped.samples);
    expect(stopped.lm_calls).toBe(provider.statistics.calls - calls);

    const again = await place.reprise(['run', 'stopped.yaml']);
    expect(again.stderr).toContain('Continuing stopped');
    expect(again.code).toBe(0);
    expect(await place.metrics('stopped')).toMatchObject({
      status: 'done',
      samples: SAMPLES,
      correct: SAMPLES,
      lm_calls: SAMPLES,
      lm_calls_repeated: 0,
    });
    expect(provider.statistics.calls).toBe(calls + SAMPLES);
    expect(await readdir(place.path('results', 'stopped'))).not.toContain('pending');
  });

  it('saves what a shared memory has learned when the workflow is cancelled', async () => {
    provider.latencyMs = LATENCY / 5;
    await place.write('learned.yaml', {
      ...sumsConfig(provider.baseUrl, SAMPLES, { name: 'learned' }),
      runtime: { memory_scope: 'run' },
      agent: { type: 'history_agent', history_k: 5 },
    });
    expect((await place.reprise(['run', 'learned.yaml', '--detach'])).code).toBe(0);
    const samples = async () => (await progressOf('learned')).units.ended;
    await until('some samples are done', async () => (await samples()) > 3);
    const handle = (await place.client()).workflow.getHandle('learned');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow(/cancel/i);
    provider.latencyMs = 0;
    const rows = await place.rows('learned');
    expect(rows.length).toBeLessThan(SAMPLES);
    const memory = await readFile(place.path('results', 'learned', 'memory.json'), 'utf8');
    for (const number of rows.keys()) expect(memory).toContain(`What is ${number} + ${number * 7}?`);
  });

  it('keeps what is finished when the workflow is cancelled', async () => {
    await begin('cancelled');
    const handle = (await place.client()).workflow.getHandle('cancelled');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow(/cancel/i);
    const metrics = await place.metrics('cancelled');
    expect(metrics.status).toBe('cancelled');
    expect((await place.rows('cancelled')).length).toBe(metrics.samples);
    const shown = JSON.parse((await place.reprise(['status', 'cancelled', '--json'])).stdout);
    expect(shown).toMatchObject({ id: 'cancelled', kind: 'run', phase: 'cancelled', metrics });
    expect(shown.facts[0].value).toEqual({
      kind: 'state',
      phase: 'cancelled',
      message: 'the workflow was cancelled',
    });
    const { code, stdout } = await place.reprise(['status', 'cancelled']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/status .* cancelled/);
    expect(stdout).toContain('Artifacts: results/cancelled');
  });

  it('says of one that was terminated what its folder holds', async () => {
    await begin('terminated', 20);
    const parts = () =>
      readdir(place.path('results', 'terminated', 'parts'), { recursive: true }).catch(() => []);
    await until('rows are written', async () => (await parts()).some((name) => name.endsWith('.jsonl')));
    await (await place.client()).workflow.getHandle('terminated').terminate();
    await until('its calls have ended', () => provider.statistics.inFlight === 0);
    const shown = JSON.parse((await place.reprise(['status', 'terminated', '--json'])).stdout);
    const { held } = shown;
    expect(shown).toMatchObject({ id: 'terminated', kind: 'run', phase: 'terminated', metrics: null });
    expect(shown.progress).toBeNull();
    expect(shown.artifacts).toMatch(/results\/terminated$/);
    expect(held).toMatchObject({ correct: held.samples, errors: 0, episodes: held.samples });
    expect(held.samples).toBeGreaterThan(0);
    expect(held.answered_calls).toBeGreaterThanOrEqual(held.samples);
    const { code, stdout } = await place.reprise(['status', 'terminated']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/status .* terminated/);
    expect(stdout).toContain('The command that started it continues from there.');
    const unknown = await place.reprise(['status', 'nobody', '--json']);
    expect(unknown.code).toBe(2);
    expect(JSON.parse(unknown.stdout).error.message).toContain("there is no run 'nobody'");
  });

  it('refuses what makes no sense, in a sentence', async () => {
    const unknown = await place.reprise(['stop', 'no-such-run']);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain("there is no run 'no-such-run'");
    const over = await place.reprise(['pause', 'paused']);
    expect(over.code).toBe(2);
    expect(over.stderr).toContain("the run 'paused' has ended");
    const none = await place.reprise(['set-concurrency', 'paused', 'many']);
    expect(none.code).toBe(2);
  });

  it('is shown in the list and in the UI with the same figures', async () => {
    const { stdout } = await place.reprise(['status', '--json']);
    const runs = JSON.parse(stdout) as { id: string; phase: string }[];
    expect(runs.map(({ id }) => id).sort()).toEqual([
      'cancelled',
      'learned',
      'paused',
      'stopped',
      'terminated',
      'wider',
    ]);
    const client = await place.client();
    const listed = client.workflow.list({ query: 'RepriseExperiment = "paused" AND ReprisePhase = "done"' });
    const found = [];
    for await (const { workflowId, searchAttributes } of listed) found.push({ workflowId, searchAttributes });
    expect(found).toMatchObject([
      {
        workflowId: 'paused',
        searchAttributes: { RepriseKind: ['run'], RepriseModel: ['openai/fake'] },
      },
    ]);
    const metadata = await client.workflow
      .getHandle('paused')
      .query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toContain('| accuracy | 100.0 %, ');
    expect(metadata.currentDetails).toContain(`| LM calls | ${SAMPLES} |`);
  });
});
