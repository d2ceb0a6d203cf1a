import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallRecord } from '../../src/contracts/language-model.js';
import type { Metrics } from '../../src/kinds/run/results.js';
import type { SheetVersion } from '../../src/memory/saved.js';
import { openStore } from '../../src/storage/open.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { IS_NIGHT } from '../support/nightly.js';
import { dynamicConfig, type OwnServer, startServerFor } from '../support/own-server.js';
import { findVersitygw, mustSkip, type S3Server, startS3Server } from '../support/s3-server.js';
import { readLines, sumsConfig, timeless, timelessMetrics, until, Workplace } from '../support/workplace.js';

const LATENCY = 60;

function notesOf(numbers: readonly number[]): string {
  return ['notes', ...new Set(numbers)].map((number) => `note ${number}`).join('\n');
}

/** The sheet after this question. */
function sheetAfter(index: number): string {
  return notesOf(Array.from({ length: index + 1 }, (_, number) => number));
}

/** A curator that adds a line for each task, and a solver that needs the lines of all tasks before its own. */
function answer(prompt: string): string {
  const notes = [...prompt.matchAll(/^note (\d+)$/gm)].map(([, number]) => Number(number));
  const [left = 0, right = 0] = (/What is (\d+) \+ (\d+)\?(?![\s\S]*What is)/.exec(prompt) ?? [])
    .slice(1)
    .map(Number);
  if (prompt.includes('<cheatsheet>')) {
    const known = prompt.includes('comes next') ? notes : [...notes, left];
    return `Here:\n<cheatsheet>\n${notesOf(known)}\n</cheatsheet>`;
  }
  return `<answer>${left + right}</answer> with ${notes.length} notes`;
}

interface SavedSheet {
  _type: string;
  cheatsheet: string;
  versions: SheetVersion[];
  experiences?: { obs: string }[];
}

describe('the Dynamic Cheatsheet on a real server', () => {
  let place: Workplace;
  let provider: FakeProvider;

  async function open(): Promise<void> {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', {
      latencyMs: LATENCY,
      reply: ({ lastUserText }) => answer(lastUserText),
    });
  }

  async function close(): Promise<void> {
    await provider.close();
    await place.dispose();
  }

  const config = (name: string, count: number, more: Record<string, unknown> = {}) =>
    sumsConfig(provider.baseUrl, count, {
      name,
      runtime: { memory_scope: 'run' },
      agent: { type: 'dynamic_cheatsheet_agent' },
      ...more,
    });

  const memoryOf = async (name: string): Promise<SavedSheet> =>
    JSON.parse(await readFile(place.path('results', name, 'memory.json'), 'utf8'));

  const purposes = async (name: string) =>
    (await place.calls(name)).map(({ sample_id, purpose }) => `${sample_id} ${purpose}`);

  async function run(name: string, count: number, more: Record<string, unknown> = {}) {
    await place.write(`${name}.yaml`, config(name, count, more));
    const { code, stderr } = await place.reprise(['run', `${name}.yaml`]);
    expect(stderr).not.toContain('rror:');
    expect(code).toBe(0);
  }

  describe('that is killed in the middle', () => {
    beforeAll(open);
    afterAll(close);

    it('writes the sheet after each answer, keeps every version, and says who wrote it', async () => {
      await run('calm', 30);
      expect(await place.metrics('calm')).toMatchObject({
        correct: 30,
        lm_calls: 60,
        curator_sees_feedback: false,
        agent_metrics: { curations: 30 },
      });
      const memory = await memoryOf('calm');
      expect(memory.versions.map(({ version, sample_id, trial }) => [version, sample_id, trial])).toEqual(
        Array.from({ length: 30 }, (_, index) => [index + 1, `sum-${index}`, 0]),
      );
      expect(memory.cheatsheet).toBe(memory.versions.at(-1)?.content);
      expect((await place.rows('calm')).map(({ action }) => action?.split('with ')[1])).toEqual(
        Array.from({ length: 30 }, (_, index) => `${index} notes`),
      );
      expect((await purposes('calm')).slice(0, 4)).toEqual([
        'sum-0 act',
        'sum-0 curate',
        'sum-1 act',
        'sum-1 curate',
      ]);
    });

    it('gives the same when worker and server are killed in the middle', async () => {
      const { calls } = provider.statistics;
      await place.write('killed.yaml', config('killed', 30));
      let running = place.start(['run', 'killed.yaml']);
      for (const [kill, at] of [12, 25, 41].entries()) {
        await until(
          `call ${at}`,
          () => provider.statistics.calls - calls >= at && provider.statistics.inFlight > 0,
        );
        if (kill === 1) await place.killServer();
        else {
          await place.kill(running);
          running = place.start(['run', 'killed.yaml']);
        }
      }
      expect((await running.done).code).toBe(0);
      expect(await memoryOf('killed')).toEqual(await memoryOf('calm'));
      expect(timeless(await place.rows('killed'))).toEqual(timeless(await place.rows('calm')));
      const named = (metrics: object) => ({ ...metrics, name: '', experiment: '' });
      expect(named(timelessMetrics(await place.metrics('killed')))).toEqual(
        named(timelessMetrics(await place.metrics('calm'))),
      );
      // One lane: at most one call is in flight at a time.
      expect(provider.statistics.calls - calls).toBeLessThanOrEqual(60 + 3);
    });

    const others = [
      ['retrieval_synthesis', 'hybrid', ['synthesize', 'act']],
      ['full_history', 'experience_db', ['act']],
    ] as const;
    it.each(IS_NIGHT ? others : [])('mode %s survives a killed worker', async (mode, type, wanted) => {
      const agent = { type: 'dynamic_cheatsheet_agent', mode, retrieve_top_k: 2 };
      await run(`calm-${mode}`, 12, { agent, memory: { _type: type } });
      const { calls } = provider.statistics;
      await place.write(
        `killed-${mode}.yaml`,
        config(`killed-${mode}`, 12, { agent, memory: { _type: type } }),
      );
      const first = place.start(['run', `killed-${mode}.yaml`]);
      await until('half of it is done', () => provider.statistics.calls - calls >= 6 * wanted.length);
      await place.kill(first);
      expect((await place.reprise(['run', `killed-${mode}.yaml`])).code).toBe(0);
      expect(await memoryOf(`killed-${mode}`)).toEqual(await memoryOf(`calm-${mode}`));
      const calm = await place.calls(`calm-${mode}`);
      expect((await place.calls(`killed-${mode}`)).map(({ messages }) => messages)).toEqual(
        calm.map(({ messages }) => messages),
      );
      expect((await purposes(`calm-${mode}`)).slice(0, wanted.length)).toEqual(
        wanted.map((purpose) => `sum-0 ${purpose}`),
      );
      const last = calm.findLast(({ purpose }) => purpose === wanted[0])?.messages.at(-1)?.content ?? '';
      const shown = (last.match(/### Example/g) ?? []).length;
      expect(shown).toBe(mode === 'full_history' ? 11 : 2);
    });

    it('embeds each text once: over a crash, in the next run, and with the memory in another folder', async () => {
      const asked = () => provider.requests.flatMap(({ texts = [] }) => texts as string[]);
      const retrieval = { backend: 'embedding', model: 'openai/fake-embeddings', base_url: provider.baseUrl };
      const more = {
        agent: { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval' },
        memory: { _type: 'experience_db', retrieval },
        output: { results_dir: 'embedded', save_memory_path: 'kept/vectors.json' },
      };
      provider.requests.length = 0;
      await place.write('embedded.yaml', config('embedded', 10, more));
      const first = place.start(['run', 'embedded.yaml']);
      await until('half of it is done', () => provider.requests.length >= 10);
      await place.kill(first);
      expect((await place.reprise(['run', 'embedded.yaml'])).code).toBe(0);
      const questions = Array.from({ length: 10 }, (_, index) => `What is ${index} + ${index * 7}?`);
      const texts = asked();
      expect([...new Set(texts)].sort()).toEqual([...questions].sort());
      // At most the request that was cut off was sent again.
      expect(texts.length).toBeLessThanOrEqual(11);
      const folder = place.path('embedded', 'embedded');
      const metrics = JSON.parse(await readFile(`${folder}/metrics.json`, 'utf8')) as Metrics;
      expect(metrics.embeddings?.texts).toBeGreaterThanOrEqual(10);
      expect(metrics.embeddings?.input_tokens).toBeGreaterThan(0);
      const shown = (await readLines<CallRecord>(`${folder}/calls.jsonl`)).map(
        ({ messages }) => (messages.at(-1)?.content.match(/### Example/g) ?? []).length,
      );
      expect(shown).toEqual([0, 1, 2, 3, 3, 3, 3, 3, 3, 3]);

      provider.requests.length = 0;
      await place.write('again.yaml', config('again', 10, more));
      expect((await place.reprise(['run', 'again.yaml'])).code).toBe(0);
      expect(asked()).toEqual([]);

      const output = { results_dir: 'elsewhere', load_memory_path: 'kept/vectors.json' };
      await place.write('elsewhere.yaml', config('elsewhere', 10, { ...more, output }));
      expect((await place.reprise(['run', 'elsewhere.yaml'])).code).toBe(0);
      expect(asked()).toEqual([]);
    });
  });

  describe('that nothing disturbs', () => {
    beforeAll(async () => {
      await open();
      await place.dev();
    });
    afterAll(close);

    it('begins with the memory of an earlier run, and adds to it', async () => {
      const agent = { type: 'dynamic_cheatsheet_agent', mode: 'cumulative', use_retrieval: true };
      const output = {
        results_dir: 'results',
        save_memory_path: 'kept/notes.json',
        load_memory_path: 'kept/notes.json',
      };
      const { load_memory_path: _load, ...first } = output;
      await run('earlier', 5, { agent, memory: { _type: 'hybrid' }, output: first });
      provider.requests.length = 0;
      await run('later', 5, { agent, memory: { type: 'hybrid' }, output });
      const prompt = provider.requests[0]?.lastUserText ?? '';
      expect(prompt).toContain(sheetAfter(4));
      expect(prompt).toContain('### Example 3\nTask:\nWhat is 0 + 0?');
      const memory = JSON.parse(await readFile(place.path('kept', 'notes.json'), 'utf8')) as SavedSheet;
      expect(memory).toEqual(await memoryOf('later'));
      expect(memory.versions.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(memory.experiences).toHaveLength(10);
    });

    it('says before it starts that a key for embeddings is missing', async () => {
      const memory = {
        _type: 'experience_db',
        retrieval: { backend: 'embedding', model: 'gemini/embedding' },
      };
      const agent = { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval' };
      await place.write('keyless.yaml', config('keyless', 1, { agent, memory }));
      const { code, stderr } = await place.reprise(['run', 'keyless.yaml']);
      expect(stderr).toContain('memory.retrieval.model: provider gemini needs a key');
      expect(code).toBe(2);
    });

    it('saves what it has learned when the provider refuses every further call', async () => {
      const { calls } = provider.statistics;
      provider.intercept = () =>
        provider.statistics.calls - calls > 7
          ? { kind: 'status', status: 401, message: 'no such key' }
          : undefined;
      await place.write('refused.yaml', config('refused', 9));
      const { code } = await place.reprise(['run', 'refused.yaml']);
      provider.intercept = undefined;
      expect(code).toBe(1);
      const memory = await memoryOf('refused');
      expect(memory.versions.map(({ sample_id }) => sample_id)).toEqual(['sum-0', 'sum-1', 'sum-2']);
      expect(memory.cheatsheet).toBe(sheetAfter(2));
    });

    it('lanes of samples begin with one memory and go apart, and each is saved', async () => {
      const agent = { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval', retrieve_top_k: 20 };
      const memory = { _type: 'experience_db' };
      const runtime = { memory_scope: 'sample', concurrency: 5, num_trials: 2 };
      await run('base', 6, {
        agent,
        memory,
        output: { results_dir: 'results', save_memory_path: 'kept/base.json' },
      });
      await run('apart', 6, {
        agent,
        memory,
        runtime,
        output: { results_dir: 'results', load_memory_path: 'kept/base.json' },
      });
      const calls = await place.calls('apart');
      // The six loaded ones, and in the second trial the sample's own first attempt.
      expect(
        calls.map(({ trial, messages }) => [trial, messages.at(-1)?.content.split('### Example').length]),
      ).toEqual(Array.from({ length: 12 }, (_, index) => [index % 2, 7 + (index % 2)]));
      const saved = JSON.parse(await readFile(place.path('results', 'apart', 'memory.json'), 'utf8'));
      expect(Object.keys(saved.memories)).toHaveLength(6);
      for (const own of Object.values<SavedSheet>(saved.memories)) expect(own.experiences).toHaveLength(8);
    });
  });
});

describe('the Dynamic Cheatsheet, continued as new', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let server: OwnServer;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', { reply: ({ lastUserText }) => answer(lastUserText) });
    // It suggests to continue as new after a hundred events instead of thousands.
    const settings = dynamicConfig({
      'limit.historyCount.suggestContinueAsNew': 100,
      'history.transferProcessorMaxPollRPS': 2000,
    });
    server = await startServerFor(place, ['--db-filename', place.path('own-server.db'), ...settings]);
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
    await server.stop();
  });

  const modes = [['retrieval_synthesis', 'hybrid'], ...(IS_NIGHT ? [['cumulative', 'cheatsheet']] : [])];
  it.each(modes)('loses no version and no experience in mode %s', async (mode, type) => {
    const config = sumsConfig(provider.baseUrl, 30, {
      name: mode,
      runtime: { memory_scope: 'run' },
      agent: { type: 'dynamic_cheatsheet_agent', mode },
      memory: { _type: type },
    });
    await place.write(`${mode}.yaml`, config);
    const { code, stderr } = await place.reprise(['run', `${mode}.yaml`]);
    expect(stderr).not.toContain('rror:');
    expect(code).toBe(0);
    const memory: SavedSheet = JSON.parse(await readFile(place.path('results', mode, 'memory.json'), 'utf8'));
    expect(memory.versions.map(({ version, sample_id }) => [version, sample_id])).toEqual(
      Array.from({ length: 30 }, (_, index) => [index + 1, `sum-${index}`]),
    );
    if (mode === 'cumulative') {
      expect(memory.versions.map(({ content }) => content)).toEqual(
        Array.from({ length: 30 }, (_, index) => sheetAfter(index)),
      );
    } else {
      expect(memory.experiences?.map(({ obs }) => obs)).toEqual(
        Array.from({ length: 30 }, (_, index) => `What is ${index} + ${index * 7}?`),
      );
    }
    const client = await place.client();
    let renewals = 0;
    const query = `WorkflowId = '${mode}'`;
    for await (const { status } of client.workflow.list({ query })) {
      if (status.name === 'CONTINUED_AS_NEW') renewals += 1;
    }
    expect(renewals).toBeGreaterThan(1);
    // A search is given to another worker as soon as a call is.
    const { events } = await client.workflow.getHandle(mode).fetchHistory();
    const timeouts = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityType?.name === 'searchExperiences'
        ? [String(scheduled.heartbeatTimeout?.seconds)]
        : [],
    );
    expect(new Set(timeouts)).toEqual(new Set(mode === 'cumulative' ? [] : ['10']));
  });
});

const versitygw = await findVersitygw();

describe.skipIf(mustSkip(versitygw))('the Dynamic Cheatsheet on S3', () => {
  let s3: S3Server;
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    s3 = await startS3Server();
    place = await Workplace.make(s3.environment);
    provider = await startFakeProvider('openai', { reply: ({ lastUserText }) => answer(lastUserText) });
    await place.dev();
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
    await s3.stop();
  });

  it('the memory of one run, loaded into the next, is used by it', async () => {
    const agent = { type: 'dynamic_cheatsheet_agent', mode: 'retrieval_synthesis' };
    const base = { runtime: { memory_scope: 'run' }, agent, memory: { _type: 'hybrid' } };
    const address = `s3://${s3.bucket}/kept/memory.json`;
    const output = { results_dir: `s3://${s3.bucket}/results` };
    await place.write(
      'one.yaml',
      sumsConfig(provider.baseUrl, 4, {
        ...base,
        name: 'one',
        output: { ...output, save_memory_path: address },
      }),
    );
    expect((await place.reprise(['run', 'one.yaml'])).code).toBe(0);
    provider.requests.length = 0;
    await place.write(
      'two.yaml',
      sumsConfig(provider.baseUrl, 4, {
        ...base,
        name: 'two',
        output: { ...output, load_memory_path: address },
      }),
    );
    expect((await place.reprise(['run', 'two.yaml'])).code).toBe(0);
    const first = provider.requests[0]?.lastUserText ?? '';
    expect(first).toContain('### Example 3\nTask:\nWhat is 0 + 0?');
    const text = await openStore(`s3://${s3.bucket}/results/two`, { environment: s3.environment }).readText(
      'memory.json',
    );
    const memory = JSON.parse(text ?? '') as SavedSheet;
    expect([memory.versions.length, memory.experiences?.length]).toEqual([8, 8]);
  });
});
