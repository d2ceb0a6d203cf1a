import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evolveMetricsOf, experimentOf, ownScorerConfig } from '../support/evolutions.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { findPython, mustSkipPython } from '../support/python.js';
import { seatsConfig, writeSeats } from '../support/seats-bundle.js';
import { sumsConfig, Workplace } from '../support/workplace.js';

const STUCK_ENV = `import { QAEnv } from 'reprise';
export class StuckEnv extends QAEnv {
  override step(...given: Parameters<QAEnv['step']>) {
    const answer = super.step(...given);
    if (this.task.id === 'sum-1') for (;;);
    if (this.task.id === 'sum-3') return new Promise<never>(() => {});
    if (this.task.id === 'sum-5') process.exit(7);
    return answer;
  }
}
`;

const HOARDING_ENV = `import { QAEnv } from 'reprise';
export class HoardingEnv extends QAEnv {
  override step(...given: Parameters<QAEnv['step']>) {
    if (this.task.id === 'sum-7') for (const hoard = [];;) hoard.push(new Array(1e6).fill(hoard.length + 0.5));
    return super.step(...given);
  }
}
`;

const STUCK_AGENT = `import { MemoryAgent, type EpisodeInfo } from 'reprise';
const fibonacci = (n: number): number => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));
export default class Stuck extends MemoryAgent {
  override reset(episode: EpisodeInfo): void {
    super.reset(episode);
    if (episode.sample_id === 'sum-1') for (;;);
  }
  override async act(observation: string): Promise<string> {
    const reply = await super.act(observation);
    switch (this.episode.sample_id) {
      case 'sum-2':
        while (reply.length >= 0) this.lastAction = reply;
      case 'sum-3':
        for (;;) await null;
      case 'sum-4':
        await new Promise(() => {});
      case 'sum-5':
        fibonacci(90);
      case 'sum-6':
        await new Promise((resolve) => setTimeout(resolve, 3000));
    }
    return reply;
  }
  override async observe(...heard: Parameters<MemoryAgent['observe']>): Promise<void> {
    await super.observe(...heard);
    if (this.episode.sample_id === 'sum-7') await new Promise(() => {});
  }
}
`;

const HOARDING_SCORER = `export function score(output: string) {
  if (output === 'hoard') for (const hoard = [];;) hoard.push(new Array(1e6).fill(hoard.length + 0.5));
  return { score: 1, message: 'fine' };
}
`;

const ECHO = '```python file=scaffold.py\ndef process_input(text):\n    return text\n```';

const withoutPython = mustSkipPython(await findPython());

describe('a user’s own TypeScript that does not come to an end', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai');
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  const late = { type: 'EnvironmentTimeout', message: 'step took more than 4 s (dataset.env_timeout_sec)' };
  const ended = { type: 'EnvironmentError', message: 'step ended its thread: worker exited with code: 7' };
  const hoarded = { type: 'EnvironmentError', message: expect.stringContaining('memory limit') };

  it.each([
    [
      'does not end, or ends its thread,',
      'StuckEnv',
      STUCK_ENV,
      4,
      { 'sum-1': late, 'sum-3': late, 'sum-5': ended },
    ],
    // A machine at work may take long to hand out a gigabyte.
    ['takes all memory', 'HoardingEnv', HOARDING_ENV, 60, { 'sum-7': hoarded }],
  ])(
    'an environment that %s is an error row, and no other sample suffers',
    async (_what, env_class, source, seconds, expected) => {
      const env_file = `own/${env_class}.ts`;
      await place.write(env_file, source);
      const { dataset } = sumsConfig(provider.baseUrl, 12) as { dataset: object };
      const own = { task_type: 'custom', env_class, env_file, env_timeout_sec: seconds };
      const config = { name: env_class, dataset: { ...dataset, ...own } };
      await place.write('stuck.yaml', sumsConfig(provider.baseUrl, 12, config));
      const { calls } = provider.statistics;
      const { code, stderr } = await place.reprise(['run', 'stuck.yaml']);
      expect(code, stderr).toBe(0);
      const rows = await place.rows(env_class);
      const errors = Object.fromEntries(
        rows.filter(({ error }) => error !== null).map(({ id, error }) => [id, error]),
      );
      expect(errors).toEqual(expected);
      const count = Object.keys(expected).length;
      expect(await place.metrics(env_class)).toMatchObject({
        status: 'done',
        samples: 12,
        correct: 12 - count,
        errors: count,
      });
      // No worker died of it, so nothing was asked again.
      expect(provider.statistics.calls - calls).toBe(12);
    },
  );

  it('an environment whose file does not come to its end is refused before anything is asked', async () => {
    await place.write(
      'own/endless.ts',
      `import { QAEnv } from 'reprise';\nfor (;;);\nexport class E extends QAEnv {}\n`,
    );
    const dataset = { task_type: 'custom', env_class: 'E', env_file: 'own/endless.ts', env_timeout_sec: 1 };
    await place.write('endless.yaml', sumsConfig(provider.baseUrl, 2, { name: 'endless', dataset }));
    const { code, stderr } = await place.reprise(['run', 'endless.yaml']);
    expect(stderr).toMatch(
      /dataset\.env_file: .*endless\.ts was not loaded within 1 s \(dataset\.env_timeout_sec\)/,
    );
    expect(code).toBe(2);
    // And by a worker that somebody else's start reaches, which goes on.
    const worker = await place.worker();
    const client = await place.client();
    const input = { config_path: 'endless.yaml' };
    const options = { taskQueue: 'reprise', workflowId: 'endless', args: [input] };
    await expect(client.workflow.execute('run', options)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('was not loaded within 1 s') },
    });
    await place.write('sound.yaml', sumsConfig(provider.baseUrl, 2, { name: 'sound' }));
    const sound = { ...options, workflowId: 'sound', args: [{ config_path: 'sound.yaml' }] };
    await client.workflow.execute('run', sound);
    await place.kill(worker);
  });

  it('an agent that does not end is an error row, and no other sample suffers', async () => {
    await place.write('own/stuck-agent.ts', STUCK_AGENT);
    const agent = { type: 'stuck', file: 'own/stuck-agent.ts' };
    await place.write('stuck-agent.yaml', sumsConfig(provider.baseUrl, 12, { name: 'stuck-agent', agent }));
    const { calls } = provider.statistics;
    const { code, stderr } = await place.reprise(['run', 'stuck-agent.yaml']);
    expect(code, stderr).toBe(0);
    const rows = await place.rows('stuck-agent');
    const errors = Object.fromEntries(
      rows.filter(({ error }) => error !== null).map(({ id, error }) => [id, error]),
    );
    const computed = 'the agent computed 20,000,000 rounds without a pause: a loop without an end?';
    const awaited = 'the agent awaited 200,000 times in one turn: a loop without an end?';
    const waited = 'the agent waited 30 s for none of its calls';
    expect(errors).toEqual({
      'sum-1': { type: 'EndlessLoop', message: `${computed} (stuck-agent.ts:6)` },
      'sum-2': { type: 'EndlessLoop', message: `${computed} (stuck-agent.ts:12)` },
      'sum-3': { type: 'EndlessLoop', message: `${awaited} (stuck-agent.ts:14)` },
      'sum-4': { type: 'IdleAgent', message: waited },
      'sum-5': { type: 'EndlessLoop', message: `${computed} (stuck-agent.ts:2)` },
    });
    expect(rows.flatMap(({ warnings = [] }) => warnings)).toEqual([`after step 1: ${waited}`]);
    const metrics = await place.metrics('stuck-agent');
    expect(metrics).toMatchObject({ status: 'done', samples: 12, correct: 7, errors: 5 });
    // One that loops before it has asked asks nothing, and nothing is asked twice.
    expect(provider.statistics.calls - calls).toBe(11);
  });

  it('a bundle whose code ends its process when it is loaded is refused before anything is asked', async () => {
    await writeSeats(place, 1, 'seats');
    await place.write('seats/reward.ts', 'process.exit(3);\n');
    await place.write('seats.yaml', seatsConfig(provider.baseUrl, 'seats/task.jsonl', { name: 'seats' }));
    const ended = /reward\.ts ended the thread that it was tried in: .*3/;
    const { code, stderr } = await place.reprise(['agent-eval', 'seats.yaml']);
    expect(stderr).toMatch(ended);
    expect(code).toBe(2);
    // And by a worker that somebody else's start reaches, which goes on.
    const worker = await place.worker();
    const client = await place.client();
    const options = { taskQueue: 'reprise', workflowId: 'seats', args: [{ config_path: 'seats.yaml' }] };
    await expect(client.workflow.execute('agentEval', options)).rejects.toMatchObject({
      cause: { message: expect.stringMatching(ended) },
    });
    await place.write('sound.yaml', sumsConfig(provider.baseUrl, 2, { name: 'sound-after' }));
    const sound = { ...options, workflowId: 'sound-after', args: [{ config_path: 'sound.yaml' }] };
    await client.workflow.execute('run', sound);
    await place.kill(worker);
  });

  it.skipIf(withoutPython)(
    'an output that its scorer cannot end with scores 0, and the evolution goes on',
    async () => {
      const lines = (...inputs: string[]) =>
        inputs
          .map((input, index) => `${JSON.stringify({ id: `${index}`, input, target: input })}\n`)
          .join('');
      await place.write('own/score.ts', HOARDING_SCORER);
      await place.write('train.jsonl', lines('fine'));
      await place.write('valid.jsonl', lines('fine', 'hoard', 'well'));
      const data = { train: 'train.jsonl', valid: 'valid.jsonl' };
      const evolution = { num_iterations: 1, num_validation_examples: 3 };
      await place.write('hoarding.yaml', ownScorerConfig(provider.baseUrl, data, evolution));
      provider.intercept = () => ({ kind: 'reply', text: ECHO });
      const { code, stdout, stderr } = await place.reprise([
        ...['evolve', 'hoarding.yaml', '--experiment-name', 'hoarding', '--results-dir', 'experiments'],
      ]);
      provider.intercept = undefined;
      expect(code, stdout + stderr).toBe(0);
      const metrics = await evolveMetricsOf(await experimentOf(place, 'hoarding'));
      expect(metrics).toMatchObject({ status: 'done', best: { score: 2 / 3 } });
    },
  );
});
