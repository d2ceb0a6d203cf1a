import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { findVersitygw, mustSkip, type S3Server, startS3Server } from '../support/s3-server.js';
import { sumsConfig, Workplace } from '../support/workplace.js';

describe('memory', () => {
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

  const prompts = () => provider.requests.map(({ body }) => JSON.stringify(body.messages));

  async function run(name: string, more: Record<string, unknown>, count = 4) {
    provider.requests.length = 0;
    await place.write(`${name}.yaml`, sumsConfig(provider.baseUrl, count, { name, ...more }));
    const { code, stderr } = await place.reprise(['run', `${name}.yaml`]);
    expect(stderr).not.toContain('rror:');
    expect(code).toBe(0);
  }
  const history = { type: 'history_agent', history_k: 50 };
  const shared = { memory_scope: 'run' };

  it('of a run: every sample sees those before it, in order', async () => {
    await run('shared', { runtime: shared, agent: history }, 5);
    expect(provider.statistics.maxInFlight).toBe(1);
    prompts().forEach((prompt, index) => {
      expect(prompt.split('Action: ').length - 1).toBe(index);
      for (let earlier = 0; earlier < index; earlier++) {
        expect(prompt).toContain(`What is ${earlier} + ${earlier * 7}?`);
      }
    });
  });

  it('of a sample: no sample sees another', async () => {
    await run('apart', { agent: history }, 5);
    for (const prompt of prompts()) expect(prompt).not.toContain('Action: ');
  });

  it('continues in a later run, from a folder', async () => {
    await run('first', {
      runtime: shared,
      agent: history,
      output: { results_dir: 'results', save_memory_path: 'kept/memory.json' },
    });
    const saved = await readFile(place.path('kept', 'memory.json'), 'utf8');
    expect(saved).toBe(await readFile(place.path('results', 'first', 'memory.json'), 'utf8'));
    expect(saved).toContain('What is 3 + 21?');
    await run('second', {
      runtime: shared,
      agent: history,
      output: { results_dir: 'results', load_memory_path: 'kept/memory.json' },
    });
    expect(prompts()[0]).toContain('What is 3 + 21?');
    expect(prompts()[0]?.split('Action: ').length).toBe(5);
  });

  it('of each sample continues in a later run, apart', async () => {
    await run('each', {
      agent: history,
      output: { results_dir: 'results', save_memory_path: 'kept/each.json' },
    });
    await run('each-again', {
      agent: history,
      output: { results_dir: 'results', load_memory_path: 'kept/each.json' },
    });
    for (const prompt of prompts()) expect(prompt.split('Action: ').length).toBe(2);
    const own = provider.requests.find(({ lastUserText }) => lastUserText.includes('2 + 14'));
    expect(JSON.stringify(own?.body.messages).split('2 + 14').length - 1).toBe(2);
  });

  it('of another kind or shape is refused, by field', async () => {
    await place.write('kept/wrong.json', '{"_type": "cheatsheet"}');
    await place.write(
      'wrong.yaml',
      sumsConfig(provider.baseUrl, 1, {
        name: 'wrong',
        output: { results_dir: 'results', load_memory_path: 'kept/wrong.json' },
      }),
    );
    const { code, stderr } = await place.reprise(['run', 'wrong.yaml']);
    expect(stderr).toContain('output.load_memory_path');
    expect(code).toBe(2);
  });

  it('is not carried into the next trial where the config says so', async () => {
    provider.intercept = () => ({ kind: 'reply', text: 'no idea' });
    const runtime = { num_trials: 3, memory_scope: 'sample' };
    await run('carried', { runtime, agent: history }, 1);
    expect(prompts().map((prompt) => prompt.split('Action: ').length - 1)).toEqual([0, 1, 2]);
    await run('fresh', { runtime: { ...runtime, carry_memory_across_trials: false }, agent: history }, 1);
    expect(prompts().map((prompt) => prompt.split('Action: ').length - 1)).toEqual([0, 0, 0]);
    provider.intercept = undefined;
  });
});

const versitygw = await findVersitygw();

describe.skipIf(mustSkip(versitygw))('memory on S3', () => {
  let s3: S3Server;
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    s3 = await startS3Server();
    place = await Workplace.make(s3.environment);
    provider = await startFakeProvider('openai');
    await place.dev();
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
    await s3.stop();
  });

  it('is saved there and loaded from there', async () => {
    const memory = `s3://${s3.bucket}/memories/sums.json`;
    const more = { runtime: { memory_scope: 'run' }, agent: { type: 'history_agent', history_k: 50 } };
    const first = sumsConfig(provider.baseUrl, 3, {
      ...more,
      name: 'first',
      output: { results_dir: `s3://${s3.bucket}/x`, save_memory_path: memory },
    });
    await place.write('first.yaml', first);
    expect((await place.reprise(['run', 'first.yaml'])).code).toBe(0);
    const store = openStore(`s3://${s3.bucket}/memories`, { environment: s3.environment });
    expect(await store.readText('sums.json')).toContain('What is 2 + 14?');
    provider.requests.length = 0;
    const second = sumsConfig(provider.baseUrl, 1, {
      ...more,
      name: 'second',
      output: { results_dir: 'results', load_memory_path: memory },
    });
    await place.write('second.yaml', second);
    expect((await place.reprise(['run', 'second.yaml'])).code).toBe(0);
    expect(JSON.stringify(provider.requests[0]?.body.messages)).toContain('What is 2 + 14?');
  });
});
