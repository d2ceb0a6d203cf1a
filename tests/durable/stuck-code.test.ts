import { afterAll, beforeAll, expect, it } from 'vitest';
import { evolveMetricsOf, experimentOf, ownScorerConfig } from '../support/evolutions.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { findPython, mustSkipPython } from '../support/python.js';
import { seatsConfig, writeSeats } from '../support/seats-bundle.js';
import { readLines, sumsConfig, Workplace } from '../support/workplace.js';

const STUCK_ENV = `import { QAEnv } from 'reprise';
export class StuckEnv extends QAEnv {
  override step(...given: Parameters<QAEnv['step']>) {
    if (this.task.id === 'sum-1') for (;;);
    if (this.task.id === 'sum-3') process.exit(7);
    return super.step(...given);
  }
}
`;

const STUCK_AGENT = `import { MemoryAgent, type EpisodeInfo } from 'reprise';
export default class Stuck extends MemoryAgent {
  override reset(episode: EpisodeInfo): void {
    super.reset(episode);
    if (episode.sample_id === 'sum-2') for (;;);
  }
  override async act(observation: string): Promise<string> {
    const reply = await super.act(observation);
    if (this.episode.sample_id === 'sum-4') await new Promise(() => {});
    if (this.episode.sample_id === 'sum-5') for (;;) await null;
    return reply;
  }
}
`;

const STUCK_REWARD = `import { defineReward } from 'reprise/bundle';
export default defineReward(() => process.exit(3));
`;

const HOARDING_SCORER = `export function score(output: string) {
  if (output === 'hoard') for (const hoard = [];;) hoard.push(new Array(1e6).fill(hoard.length + 0.5));
  return { score: 1, message: 'fine' };
}
`;

const ECHO = '```python file=scaffold.py\ndef process_input(text):\n    return text\n```';

const withoutPython = mustSkipPython(await findPython());

let place: Workplace;
let provider: FakeProvider;
/** For scaffolders. */
let scaffolder: FakeProvider;

beforeAll(async () => {
  place = await Workplace.make();
  [provider, scaffolder] = await Promise.all([startFakeProvider('openai'), startFakeProvider('openai')]);
  scaffolder.intercept = () => ({ kind: 'reply', text: ECHO });
});

afterAll(async () => {
  await place.dispose();
  await Promise.all([provider.close(), scaffolder.close()]);
});

/** A run whose environment and whose agent do not come to an end. */
async function stuckRun(): Promise<void> {
  await place.write('own/stuck-env.ts', STUCK_ENV);
  await place.write('own/stuck-agent.ts', STUCK_AGENT);
  const { dataset } = sumsConfig(provider.baseUrl, 8) as { dataset: object };
  const own = {
    task_type: 'custom',
    env_class: 'StuckEnv',
    env_file: 'own/stuck-env.ts',
    env_timeout_sec: 4,
  };
  const agent = { type: 'stuck', file: 'own/stuck-agent.ts', turn_timeout_sec: 4 };
  const config = { name: 'stuck', agent, dataset: { ...dataset, ...own } };
  await place.write('stuck.yaml', sumsConfig(provider.baseUrl, 8, config));
  const { code, stderr } = await place.reprise(['run', 'stuck.yaml']);
  expect(code, stderr).toBe(0);
  const rows = await place.rows('stuck');
  const errors = rows.flatMap(({ id, error }) => (error === null ? [] : [[id, error]]));
  const computed = (place: string) =>
    `the agent computed for 4 s without a pause (stuck-agent.ts:${place}); agent.turn_timeout_sec allows no more`;
  expect(Object.fromEntries(errors)).toEqual({
    'sum-1': {
      type: 'EnvironmentTimeout',
      message: 'step took more than 4 s (dataset.env_timeout_sec)',
    },
    'sum-2': { type: 'EndlessLoop', message: computed('5') },
    'sum-3': { type: 'EnvironmentError', message: 'step ended its thread: worker exited with code: 7' },
    'sum-4': {
      type: 'IdleAgent',
      message: 'the agent waited 4 s for none of its calls (agent.turn_timeout_sec)',
    },
    'sum-5': { type: 'EndlessLoop', message: computed('10') },
  });
  expect(await place.metrics('stuck')).toMatchObject({ status: 'done', samples: 8, correct: 3, errors: 5 });
}

/** An evaluation whose reward ends its process. */
async function stuckEvaluation(): Promise<void> {
  await writeSeats(place, 1, 'seats');
  await place.write('seats/reward.ts', STUCK_REWARD);
  await place.write('seats.yaml', seatsConfig(provider.baseUrl, 'seats/task.jsonl', { name: 'seats' }));
  const { stdout, stderr } = await place.reprise(['agent-eval', 'seats.yaml']);
  const rows = await readLines<{ error: { type: string; message: string } | null }>(
    place.path('results', 'seats', 'results.jsonl'),
  );
  expect(rows.length, stdout + stderr).toBeGreaterThan(0);
  for (const { error } of rows) {
    expect(error).toMatchObject({
      type: 'InfrastructureError',
      message: expect.stringMatching(/^the thread of the reward of .* ended: worker exited with code: 3/),
    });
  }
}

/** An evolution whose scorer takes all memory for one of three outputs. */
async function stuckEvolution(): Promise<void> {
  const lines = (...inputs: string[]) =>
    inputs.map((input, index) => `${JSON.stringify({ id: `${index}`, input, target: input })}\n`).join('');
  await place.write('own/score.ts', HOARDING_SCORER);
  await place.write('train.jsonl', lines('fine'));
  await place.write('valid.jsonl', lines('fine', 'hoard', 'well'));
  const data = { train: 'train.jsonl', valid: 'valid.jsonl' };
  const evolution = { num_iterations: 1, num_validation_examples: 3 };
  await place.write('hoarding.yaml', ownScorerConfig(scaffolder.baseUrl, data, evolution));
  const names = ['--experiment-name', 'hoarding', '--results-dir', 'experiments'];
  const { code, stdout, stderr } = await place.reprise(['evolve', 'hoarding.yaml', ...names]);
  expect(code, stdout + stderr).toBe(0);
  const metrics = await evolveMetricsOf(await experimentOf(place, 'hoarding'));
  expect(metrics).toMatchObject({ status: 'done', best: { score: 2 / 3 } });
}

/** A file whose loading does not come to an end. */
async function endlessFile(): Promise<void> {
  const source = `import { QAEnv } from 'reprise';\nfor (;;);\nexport class E extends QAEnv {}\n`;
  await place.write('own/endless.ts', source);
  const dataset = { task_type: 'custom', env_class: 'E', env_file: 'own/endless.ts', env_timeout_sec: 1 };
  await place.write('endless.yaml', sumsConfig(provider.baseUrl, 2, { name: 'endless', dataset }));
  const { code, stderr } = await place.reprise(['run', 'endless.yaml']);
  expect(stderr).toMatch(/dataset\.env_file: .*endless\.ts was not loaded within 1 s/);
  expect(code).toBe(2);
}

it('a user’s own TypeScript that does not come to an end costs its own unit, and nothing else', async () => {
  await Promise.all([
    stuckRun(),
    stuckEvaluation(),
    ...(withoutPython ? [] : [stuckEvolution()]),
    endlessFile(),
  ]);
});
