import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createActivities } from '../../src/activities/index.js';
import { storedConfig } from '../../src/activities/stored-config.js';
import { withPermissions } from '../../src/config/named-files.js';
import { activitiesOfKinds } from '../../src/kinds/registry.js';
import { openStore } from '../../src/storage/open.js';
import { allowedBy, KeptPermissions } from '../../src/workers/permissions.js';
import { StateFolder } from '../../src/workers/state-folder.js';
import { dependencies } from './worker-support.js';

const SECRET = 'hunter2';
let root: string;
let own: string;
let elsewhere: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'reprise-anybody-'));
  [own, elsewhere] = [join(root, 'own'), join(root, 'elsewhere')];
  for (const [name, content] of Object.entries({
    'own/data.jsonl': '{"id": "a", "input": "1", "target": "1"}\n',
    'own/.env': `KEY=${SECRET}\n`,
    'elsewhere/key.yaml': `password: "${SECRET}\n`,
    'elsewhere/key.jsonl': `${SECRET}\n`,
    'elsewhere/key.txt': `${SECRET}\n`,
    'elsewhere/env.ts': `throw new Error('it ran, and saw ${SECRET}');\n`,
    'elsewhere/task.jsonl': `${SECRET}\n`,
    'elsewhere/reward.ts': `throw new Error('it ran, and saw ${SECRET}');\n`,
    'elsewhere/run/config.yaml': `dataset: {env_file: ${SECRET}\n`,
  })) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), content);
  }
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Hands an activity of a worker in the folder `own` an input. @returns how it fails */
async function failureOf(activity: string, input: unknown): Promise<Record<string, unknown>> {
  const permissions = new KeptPermissions(
    allowedBy({ REPRISE_ALLOWED_FOLDERS: own }, true),
    new StateFolder(join(root, 'state'), 'server'),
  );
  const activities = createActivities(dependencies({ permissions, openStore }), await activitiesOfKinds());
  const work = activities[activity as keyof typeof activities] as (input: unknown) => Promise<unknown>;
  return new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR', () => undefined) })
    .run(work, input)
    .then(() => ({ message: 'it was done' }))
    .catch((error: Record<string, unknown>) => error);
}

/** The refusal of a field: one sentence, with the way out, and without a word of the file. */
async function expectRefusal(activity: string, input: unknown, field: string): Promise<void> {
  const failure = await failureOf(activity, input);
  expect(failure.message).toContain(`${field}: `);
  expect(failure.message).toMatch(/REPRISE_ALLOWED_(FOLDERS|SERVERS|SANDBOXES=process there)$/);
  expect(failure.message).not.toContain(SECRET);
  expect(failure).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
}

const dataset = { items: [{ q: '1' }], input_field: 'q' };
const lm = { model: 'simulated/x' };
const output = () => ({ results_dir: join(own, 'results') });

describe('a start from elsewhere is refused', () => {
  test.each<[string, () => object, string]>([
    ['a config', () => ({ config_path: join(elsewhere, 'key.yaml') }), 'config_path'],
    ['a config that is not there', () => ({ config_path: join(elsewhere, 'none.yaml') }), 'config_path'],
    ['a file that is no config', () => ({ config_path: join(own, 'data.jsonl') }), 'config_path'],
    [
      'an environment',
      () => ({
        dataset: { ...dataset, env_file: join(elsewhere, 'env.ts'), env_class: 'A' },
        lm,
        output: output(),
      }),
      'dataset.env_file',
    ],
    [
      'a dataset',
      () => ({
        dataset: { dataset_path: join(elsewhere, 'key.jsonl'), input_field: 'q' },
        lm,
        output: output(),
      }),
      'dataset.dataset_path',
    ],
    [
      'a hidden file',
      () => ({ dataset: { dataset_path: join(own, '.env'), input_field: 'q' }, lm, output: output() }),
      'dataset.dataset_path',
    ],
    [
      'a script',
      () => ({ dataset, lm: { model: 'scripted/x', script: join(elsewhere, 'key.yaml') }, output: output() }),
      'lm.script',
    ],
    [
      'a recording',
      () => ({
        dataset,
        lm: { model: 'replay/x', recording: join(elsewhere, 'key.jsonl') },
        output: output(),
      }),
      'lm.recording',
    ],
    [
      'a template',
      () => ({
        dataset,
        lm,
        output: output(),
        agent: {
          type: 'dynamic_cheatsheet_agent',
          mode: 'cumulative',
          generator_template: join(elsewhere, 'key.txt'),
        },
      }),
      'agent.generator_template',
    ],
    [
      'a place for results',
      () => ({ dataset, lm, output: { results_dir: elsewhere } }),
      'output.results_dir',
    ],
    [
      'a memory to begin with',
      () => ({ dataset, lm, output: { ...output(), load_memory_path: join(elsewhere, 'key.yaml') } }),
      'output.load_memory_path',
    ],
    [
      'code in the place of a memory',
      () => ({ dataset, lm, output: { ...output(), save_memory_path: join(own, 'env.ts') } }),
      'output.save_memory_path',
    ],
    [
      'a server that would be sent the key',
      () => ({ dataset, lm: { model: 'openai/x', base_url: 'http://127.0.0.1:9/v1' }, output: output() }),
      'lm.base_url',
    ],
    ['the host’s python3', () => ({ dataset, lm, output: output(), sandbox: 'process' }), 'sandbox'],
  ])('with %s of a run', (_, input, field) => expectRefusal('prepareRun', input(), field));

  const evolution = () => ({
    task_prompt: 'Answer the question.',
    domain: 'numeric',
    data: { train: join(own, 'data.jsonl'), valid: join(own, 'data.jsonl') },
    models: { scaffolder: lm },
    output: output(),
  });
  test.each<[string, () => object, string]>([
    ['a task prompt', () => ({ ...evolution(), task_prompt: join(elsewhere, 'key.txt') }), 'task_prompt'],
    [
      'a domain',
      () => ({ ...evolution(), domain: { name: 'custom', file: join(elsewhere, 'env.ts') } }),
      'domain.file',
    ],
    [
      'examples',
      () => ({ ...evolution(), data: { ...evolution().data, train: join(elsewhere, 'key.jsonl') } }),
      'data.train',
    ],
    [
      'an origin',
      () => ({ results_dir: own, fork: { experiment: join(elsewhere, 'run'), at_iteration: 0 } }),
      'fork',
    ],
    [
      'an origin in an object store',
      () => ({ results_dir: own, fork: { experiment: 's3://evil/run', at_iteration: 0 } }),
      'fork',
    ],
    [
      'a place of its origin',
      () => ({ results_dir: elsewhere, fork: { experiment: 'run', at_iteration: 0 } }),
      'output.results_dir',
    ],
  ])('with %s of an evolution', (_, input, field) => expectRefusal('prepareEvolve', input(), field));

  test.each<[string, () => object, string]>([
    ['a bundle', () => ({ datasets: [elsewhere], models: { agent: lm }, output: output() }), 'datasets[0]'],
    [
      'a system prompt',
      () => ({
        datasets: [own],
        models: { agent: lm },
        agent: { system_prompt: join(own, '.env') },
        output: output(),
      }),
      'agent.system_prompt',
    ],
  ])('with %s of an evaluation', (_, input, field) => expectRefusal('prepareAgentEval', input(), field));

  test.each<[string, () => object, string]>([
    ['an experiment', () => ({ experiment: elsewhere, lm }), 'experiment'],
    ['a rubric', () => ({ experiment: own, lm, rubric: join(elsewhere, 'key.yaml') }), 'rubric'],
  ])('with %s of a judgement', (_, input, field) => expectRefusal('prepareJudge', input(), field));

  test('and writes nothing', async () => {
    expect(await readdir(elsewhere)).toHaveLength(7);
    expect((await readdir(own)).sort()).toEqual(['.env', 'data.jsonl']);
  });
});

describe('an activity that is handed a folder elsewhere', () => {
  test.each([
    ['generate', (run: string) => ({ run })],
    ['writePart', (run: string) => ({ run })],
    ['agentTurn', (run: string) => ({ run })],
    ['finalizeRun', (run: string) => ({ plan: { run } })],
  ])('as %s may be, waits, for it may be allowed again', async (activity, input) => {
    for (const run of [`${join(elsewhere, 'run')}#1`, `file://${join(elsewhere, 'run')}#1`]) {
      const failure = await failureOf(activity, input(run));
      expect(failure).toMatchObject({ type: 'NotPermitted', nonRetryable: false });
      expect(failure.message).toMatch(/^run: .*REPRISE_ALLOWED_FOLDERS$/);
    }
  });

  test.each([
    ['results elsewhere', { output: { results_dir: '/elsewhere' } }, 'output.results_dir'],
    ['the host’s python3', { output: { results_dir: '/own' }, sandbox: { type: 'process' } }, 'sandbox'],
  ])('finds no config there that asks for %s', async (_, config, field) => {
    const text = JSON.stringify(config).replace('/elsewhere', elsewhere).replace('/own', own);
    const store = openStore(join(root, 'stored'));
    await store.write('config.yaml', text);
    const kept = new KeptPermissions(
      allowedBy({ REPRISE_ALLOWED_FOLDERS: own }, true),
      new StateFolder(join(root, 'state'), 'server'),
    );
    await expect(withPermissions(kept, () => storedConfig(store))).rejects.toThrow(new RegExp(`^${field}: `));
  });
});
