import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallRecord } from '../../src/contracts/language-model.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { type OwnServer, startServerFor } from '../support/own-server.js';
import { cutOffIn, type Running, readLines, sumsConfig, until, Workplace } from '../support/workplace.js';

const SAMPLES = 60;
const CONCURRENCY = 20;

/** Longer than the ten seconds after which a worker is given up. */
const FROZEN_MS = 16_000;

/** How often a call is heard of while its request is in progress. */
const HEARTBEAT_MS = 3000;

/** With the freeze in it, a task that computes for so long is beyond the SDK's five seconds and within the server's ten. */
const SPIN_MS = 1500;
const SHORT_FREEZE_MS = 6000;

/** An agent whose workflow task takes a while: it counts as far as a loop gets here in `SPIN_MS`. */
function spinningAgent(): string {
  const turns = 20_000_000;
  const began = performance.now();
  let sum = 0;
  for (let turn = 0; turn < turns; turn += 1) sum = (sum + turn) % 1009;
  const wanted = Math.round((turns * SPIN_MS) / (performance.now() - began)) + (sum < 0 ? 1 : 0);
  return `
import { MemoryAgent } from 'reprise';
export default class Spinning extends MemoryAgent {
  override async observe(...heard: Parameters<MemoryAgent['observe']>): Promise<void> {
    await super.observe(...heard);
    let sum = 0;
    for (let turn = 0; turn < ${wanted}; turn += 1) sum = (sum + turn) % 1009;
    this.memory.update({ _type: 'Summary', content: String(sum) });
  }
}
`;
}

describe('a worker that is frozen, given up and wakes', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let server: OwnServer;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai');
    const database = ['--db-filename', place.path('own-server.db'), '--sqlite-pragma', 'synchronous=OFF'];
    server = await startServerFor(place, database);
    await place.reprise(['setup']);
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
    await server.stop();
  });

  it('overwrites nothing: rows, records and prompts agree, and what was asked twice is counted', async () => {
    // No two replies are alike, and half of them are wrong.
    let replies = 0;
    provider.intercept = ({ lastUserText }) => {
      replies += 1;
      const [left, right] = /(\d+) \+ (\d+)/.exec(lastUserText)?.slice(1).map(Number) ?? [0, 0];
      const sum = (left ?? 0) + (right ?? 0);
      return { kind: 'reply', text: `Thought ${replies}.\nAnswer: ${replies % 2 === 0 ? sum : -sum - 1}` };
    };
    provider.latencyMs = 2000;
    await place.write(
      'frozen.yaml',
      sumsConfig(provider.baseUrl, SAMPLES, {
        name: 'frozen',
        runtime: { concurrency: CONCURRENCY, num_trials: 2 },
        agent: { type: 'history_agent', history_k: 4 },
        memory: { _type: 'history_list', max_length: 20 },
      }),
    );
    const workers = [await place.worker(), await place.worker()];
    const { calls: before } = provider.statistics;
    const sent = () => provider.statistics.calls - before;
    expect((await place.reprise(['run', 'frozen.yaml', '--detach'])).code).toBe(0);
    await until('the first calls are in progress', () => sent() >= CONCURRENCY);
    provider.latencyMs = 3 * HEARTBEAT_MS;
    await until('some more are', () => sent() > CONCURRENCY + 10);
    // The server has heard that they have been sent: calls that are asked again are known to be repeated, then.
    await sleep(1.5 * HEARTBEAT_MS);
    const frozen = workers[0] as Running;
    frozen.process.kill('SIGSTOP');
    // What is asked again is still open when it wakes: its reply is the first then, and the other worker's the second.
    provider.latencyMs = FROZEN_MS / 2;
    await sleep(FROZEN_MS);
    frozen.process.kill('SIGCONT');
    provider.latencyMs = 2000;
    await (await place.client()).workflow.getHandle('frozen').result();
    // What it still brings comes after the end, if at all.
    await sleep(3000);

    const metrics = await place.metrics('frozen');
    expect(metrics).toMatchObject({
      status: 'done',
      episodes: 2 * SAMPLES,
      errors: 0,
      lm_calls: 2 * SAMPLES,
    });
    const rows = await place.rows('frozen');
    expect(rows).toHaveLength(2 * SAMPLES);
    const contradicting = rows.filter(({ reward, feedback }) => reward !== (feedback?.correct ? 1 : 0));
    expect(contradicting).toEqual([]);

    const calls = await readLines<CallRecord>(place.path('results', 'frozen', 'calls.jsonl'));
    const replyOf = new Map(calls.map((call) => [`${call.sample_id}/${call.trial}`, call.text]));
    expect(replyOf.size).toBe(2 * SAMPLES);
    for (const { id, trial, action } of rows) expect(action).toBe(replyOf.get(`${id}/${trial}`));
    const unheard = calls.filter(({ sample_id, trial, messages }) => {
      const first = replyOf.get(`${sample_id}/0`) as string;
      return trial === 1 && !messages.some(({ content }) => content.includes(first));
    });
    expect(unheard).toEqual([]);

    // All that was sent again is counted. So are calls that the frozen worker had taken and may have sent: those that
    // it had not, it finds answered when it wakes.
    const again = sent() - 2 * SAMPLES;
    expect(again).toBeGreaterThan(0);
    expect(metrics.lm_calls_repeated).toBeGreaterThan(0);
    expect(metrics.lm_calls_repeated).toBeLessThanOrEqual(again);
    expect(cutOffIn(metrics)).toBeGreaterThanOrEqual(again);
    expect(cutOffIn(metrics)).toBeLessThanOrEqual(CONCURRENCY);
    for (const worker of workers) worker.process.kill('SIGTERM');
    for (const worker of workers) expect((await worker.done).code).toBe(0);
  });

  it('continues where it was frozen in the middle of a workflow’s task', async () => {
    provider.intercept = undefined;
    provider.latencyMs = 0;
    await place.write('own/spinning.ts', spinningAgent());
    await place.write(
      'spinning.yaml',
      sumsConfig(provider.baseUrl, 1, {
        name: 'spinning',
        agent: { type: 'spinning', file: 'own/spinning.ts' },
      }),
    );
    const command = place.start(['run', 'spinning.yaml']);
    const { calls: before } = provider.statistics;
    await until('the call is answered', () => provider.statistics.calls > before);
    // By then the agent observes, or soon will: what the freeze meets is a task that computes.
    await sleep(SPIN_MS / 2);
    command.process.kill('SIGSTOP');
    await sleep(SHORT_FREEZE_MS);
    command.process.kill('SIGCONT');

    expect(await command.done).toMatchObject({ code: 0 });
    expect(await place.metrics('spinning')).toMatchObject({
      status: 'done',
      episodes: 1,
      errors: 0,
      lm_calls: 1,
    });
    const handle = (await place.client()).workflow.getHandle('spinning');
    const failed = (await handle.fetchHistory()).events?.flatMap(
      ({ workflowTaskFailedEventAttributes: failure }) => failure?.failure?.message ?? [],
    );
    expect(failed).toEqual([]);
  });
});
