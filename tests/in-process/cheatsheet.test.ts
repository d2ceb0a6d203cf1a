import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GenerateRequest } from '../../src/contracts/language-model.js';
import { type InProcessResult, runInProcess } from '../../src/in-process/index.js';
import { LanguageModelError } from '../../src/language-models/errors.js';
import { KeptVectors } from '../../src/retrieval/kept-vectors.js';
import { writeVectors } from '../../src/retrieval/vector-rows.js';
import { jsonLines } from '../../src/storage/json-lines.js';
import { sheet } from '../agents/cheatsheet-bench.js';
import { hash } from '../retrieval/vector-fakes.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { config, FakeModel, prompt, solve, temporaryFile } from './support.js';

const curate = ({ call }: GenerateRequest) => sheet(`notes of ${call.sample_id} in trial ${call.trial}`);
const answers = (request: GenerateRequest) =>
  request.call.purpose === 'act' ? solve(request) : curate(request);
const cheatsheet = (agent: Record<string, unknown> = {}) => ({
  type: 'dynamic_cheatsheet_agent',
  history_k: undefined,
  ...agent,
});
/** A memory's parts, as `memory.json` holds them. */
interface Parts {
  cheatsheet: string;
  versions: { version: number; sample_id: string; trial: number }[];
  experiences: { sample_id: string; obs: string }[];
}
const partsOf = ({ memory }: InProcessResult) => memory as unknown as Parts;
const partsOfEach = ({ memory }: InProcessResult) => memory.memories as unknown as Record<string, Parts>;
const purposes = ({ asked }: FakeModel) => asked.map(({ call }) => call.purpose);

describe('the Dynamic Cheatsheet in process', () => {
  it.each<[string, string[], Record<string, number> | undefined, object]>([
    [
      'cumulative',
      ['act', 'curate', 'act', 'curate', 'act', 'curate'],
      { curations: 3 },
      { _type: 'cheatsheet', cheatsheet: 'notes of s3 in trial 0' },
    ],
    [
      'retrieval_synthesis',
      ['synthesize', 'act', 'synthesize', 'act', 'synthesize', 'act'],
      { curations: 3, examples_shown: 3 },
      { _type: 'hybrid', cheatsheet: 'notes of s3 in trial 0' },
    ],
    ['dynamic_retrieval', ['act', 'act', 'act'], { examples_shown: 3 }, { _type: 'hybrid', cheatsheet: '' }],
    ['full_history', ['act', 'act', 'act'], { examples_shown: 3 }, { _type: 'hybrid', cheatsheet: '' }],
    ['empty_sheet', ['act', 'act', 'act'], undefined, { _type: 'cheatsheet', cheatsheet: '' }],
  ])('mode %s: rows, calls, counts and memory', async (mode, asked, counts, memory) => {
    const model = new FakeModel(answers);
    const result = await runInProcess(config({ agent: cheatsheet({ mode }) }), { languageModel: model });
    expect(purposes(model)).toEqual(asked);
    expect(result.calls.map(({ purpose, sample_id }) => [sample_id, purpose])).toEqual(
      model.asked.map(({ call }) => [call.sample_id, call.purpose]),
    );
    expect(result.rows.map(({ id, feedback }) => [id, feedback?.correct])).toEqual([
      ['s1', true],
      ['s2', true],
      ['s3', true],
    ]);
    expect(result.metrics).toMatchObject({ correct: 3, lm_calls: asked.length, errors: 0, warnings: 0 });
    expect(result.metrics.agent_metrics).toEqual(counts);
    expect(result.metrics).not.toHaveProperty('code_executions');
    expect(result.executions).toEqual([]);
    expect(result.memory).toMatchObject(memory);
    if (result.memory._type === 'hybrid') {
      const { experiences } = partsOf(result);
      expect(experiences.map(({ sample_id }) => sample_id)).toEqual(['s1', 's2', 's3']);
      expect(experiences[1]?.obs).toContain('What is 2 + 0?');
    }
  });

  it('says of a curating run whether its curator saw how answers were judged', async () => {
    for (const [agent, said] of [
      [{}, false],
      [{ curator_sees_feedback: true }, true],
    ] as const) {
      const { metrics } = await runInProcess(config({ agent: cheatsheet(agent) }), {
        languageModel: new FakeModel(answers),
      });
      expect(metrics.curator_sees_feedback).toBe(said);
    }
  });

  it('keeps a version for each sample and trial, one sample after the other', async () => {
    const model = new FakeModel(answers);
    const result = await runInProcess(
      config({ runtime: { num_trials: 2, concurrency: 5 }, agent: cheatsheet() }, 2),
      { languageModel: model },
    );
    expect(model.mostInFlight).toBe(1);
    expect(partsOf(result).versions).toEqual(
      ['s1/0', 's1/1', 's2/0', 's2/1'].map((name, number) => {
        const [sample_id = '', trial = ''] = name.split('/');
        const content = `notes of ${sample_id} in trial ${trial}`;
        return { version: number + 1, sample_id, trial: Number(trial), content };
      }),
    );
    expect(prompt(model.asked[2] as GenerateRequest)).toContain('notes of s1 in trial 0');
  });

  it('with carry_memory_across_trials: false every trial begins as its sample began', async () => {
    const model = new FakeModel(answers);
    const { memory } = await runInProcess(
      config(
        {
          runtime: { num_trials: 3, carry_memory_across_trials: false },
          agent: cheatsheet({ use_retrieval: true, history_k: 9 }),
        },
        2,
      ),
      { languageModel: model },
    );
    const acts = model.asked.filter(({ call }) => call.purpose === 'act');
    for (const request of acts) {
      const shown = prompt(request);
      expect(shown.includes('(empty)')).toBe(request.call.sample_id === 's1');
      expect(shown.includes('notes of s1 in trial 2')).toBe(request.call.sample_id === 's2');
      // Neither found nor among the newest: what an earlier trial of the sample left is gone.
      expect(shown.split('The answer is').length - 1).toBe(request.call.sample_id === 's1' ? 0 : 2);
    }
    expect(memory).toMatchObject({
      versions: [
        { version: 1, sample_id: 's1', trial: 2 },
        { version: 2, sample_id: 's2', trial: 2 },
      ],
      experiences: [
        { sample_id: 's1', trial: 2 },
        { sample_id: 's2', trial: 2 },
      ],
    });
  });

  it('saves nothing of a trial that the memory went back from, also where the last trial failed', async () => {
    const model = new FakeModel((request) => (request.call.trial === 1 ? '' : answers(request)));
    const { memory, rows } = await runInProcess(
      config({ runtime: { num_trials: 2, carry_memory_across_trials: false }, agent: cheatsheet() }, 1),
      { languageModel: model },
    );
    expect(rows.map(({ error }) => error?.type)).toEqual([undefined, 'EmptyReply']);
    expect(memory).toEqual({ _type: 'cheatsheet', cheatsheet: '', versions: [] });
  });

  it('with memory_scope: sample every sample has a sheet and experiences of its own', async () => {
    const model = new FakeModel(answers);
    const result = await runInProcess(
      config({
        runtime: { memory_scope: 'sample', num_trials: 2, concurrency: 3 },
        agent: cheatsheet({ use_retrieval: true }),
      }),
      { languageModel: model },
    );
    expect(model.mostInFlight).toBe(3);
    for (const { call, ...request } of model.asked.filter(({ call }) => call.purpose === 'act')) {
      const shown = prompt({ call, ...request });
      expect(shown.includes('(empty)')).toBe(call.trial === 0);
      for (const other of ['s1', 's2', 's3'].filter((id) => id !== call.sample_id))
        expect(shown).not.toContain(`notes of ${other}`);
      expect(shown.split('The answer is').length - 1).toBe(call.trial);
    }
    const memories = partsOfEach(result);
    expect(Object.keys(memories)).toEqual(['s1', 's2', 's3']);
    for (const { experiences, versions } of Object.values(memories))
      expect([experiences.length, versions.length]).toEqual([2, 2]);
  });

  it('uses the memory of an earlier run, and adds to it', async () => {
    const agent = cheatsheet({ use_retrieval: true });
    const first = await runInProcess(config({ agent }, 2), { languageModel: new FakeModel(answers) });
    const path = await temporaryFile('memory.json', JSON.stringify(first.memory));
    const output = { load_memory_path: path };
    for (const memory_scope of ['run', 'sample']) {
      const model = new FakeModel(answers);
      const second = await runInProcess(config({ agent, output, runtime: { memory_scope } }, 3), {
        languageModel: model,
      });
      const act = model.asked.find(({ call }) => call.sample_id === 's3' && call.purpose === 'act');
      const shown = prompt(act as GenerateRequest);
      expect(shown).toContain(memory_scope === 'run' ? 'notes of s2 in trial 0' : partsOf(first).cheatsheet);
      expect(shown).toContain('The answer is 2.');
      const { versions, experiences } =
        memory_scope === 'run' ? partsOf(second) : (partsOfEach(second).s3 as Parts);
      expect([versions.length, experiences.length]).toEqual(memory_scope === 'run' ? [5, 5] : [3, 3]);
      expect(versions.slice(0, 2)).toEqual(partsOf(first).versions);
    }
  });

  it('gives back a loaded memory as it was where no sample could begin', async () => {
    const saved = { _type: 'cheatsheet', cheatsheet: 'old', versions: [{ version: 1, content: 'old' }] };
    const path = await temporaryFile('memory.json', JSON.stringify(saved));
    const file = await temporaryFile(
      'own.ts',
      `import { Environment } from 'reprise';
       export class Broken extends Environment { reset() { throw new Error('no such level'); } step() {} }`,
    );
    const { memory, metrics, rows } = await runInProcess(
      config({
        agent: cheatsheet(),
        output: { load_memory_path: path },
        dataset: { task_type: 'custom', env_class: 'Broken', env_file: file },
      }),
      { languageModel: new FakeModel(answers) },
    );
    expect(metrics).toMatchObject({ status: 'done', errors: 3 });
    expect(rows[0]?.error?.message).toBe('Error: no such level (own.ts:2)');
    expect(memory).toEqual(saved);
  });

  it('shows the gold answer to no model call, whatever the mode, with several trials', async () => {
    const gold = '4711.0815';
    for (const mode of ['cumulative', 'retrieval_synthesis', 'dynamic_retrieval', 'full_history']) {
      const model = new FakeModel(({ call }) =>
        call.purpose === 'act' ? 'The answer is 5.' : curate({ call } as never),
      );
      const items = [1, 2].map((number) => ({ id: `s${number}`, question: 'How many?', answer: gold }));
      const { rows } = await runInProcess(
        config({
          dataset: { items },
          runtime: { num_trials: 2 },
          agent: cheatsheet({ mode, feedback: 'full' }),
        }),
        { languageModel: model },
      );
      expect(rows.every(({ feedback }) => feedback?.target === gold && !feedback.correct)).toBe(true);
      expect(model.asked.filter(({ messages }) => JSON.stringify(messages).includes(gold))).toEqual([]);
    }
  });

  it('counts replies without a sheet, keeps the old one, and a failing curator is a warning', async () => {
    const tooLong = new LanguageModelError('bad_request', 'the prompt is too long', {
      provider: 'openai',
    });
    const model = new FakeModel((request) => {
      if (request.call.purpose === 'act') return solve(request);
      if (request.call.sample_id === 's2') return 'no sheet here';
      return request.call.sample_id === 's3' ? tooLong : curate(request);
    });
    const { metrics, memory, rows } = await runInProcess(config({ agent: cheatsheet() }), {
      languageModel: model,
    });
    expect(metrics).toMatchObject({ correct: 3, errors: 0, warnings: 1 });
    expect(metrics.agent_metrics).toEqual({ curations: 2, curations_without_sheet: 1 });
    expect(rows.map(({ agent_metrics }) => agent_metrics)).toEqual([
      { curations: 1 },
      { curations: 1, curations_without_sheet: 1 },
      undefined,
    ]);
    expect(rows[2]?.warnings).toEqual(['after the episode: the prompt is too long']);
    expect(memory).toMatchObject({ cheatsheet: 'notes of s1 in trial 0', versions: [{ version: 1 }] });
  });

  it('writes its history in an episode of several steps', async () => {
    const model = new FakeModel(({ call }) =>
      call.purpose === 'act' ? String([50, 25, 37][call.ordinal]) : 'none',
    );
    const result = await runInProcess(
      config({
        dataset: {
          items: [{ id: 's1', question: 'Find it.', answer: '37' }],
          task_type: 'custom',
          env_class: 'NumberGuessingEnv',
        },
        agent: cheatsheet({ mode: 'dynamic_retrieval' }),
      }),
      { languageModel: model },
    );
    expect(result.rows[0]).toMatchObject({ steps: 3, feedback: { correct: true } });
    const last = prompt(model.asked[2] as GenerateRequest);
    for (const shown of ['Find it.', '\n50\n', 'Lower.', '\n25\n', 'Higher.']) expect(last).toContain(shown);
    expect(partsOf(result).experiences).toHaveLength(3);
  });

  describe('by vectors', () => {
    const asked = (provider: FakeProvider) => provider.requests.flatMap(({ texts = [] }) => texts);
    async function place(sections: Record<string, object> = {}) {
      const provider = await startFakeProvider('openai');
      onTestFinished(() => provider.close());
      const retrieval = {
        backend: 'embedding',
        model: 'openai/text-embedding-3-small',
        base_url: provider.baseUrl,
      };
      const run = (more: Record<string, object> = {}) =>
        runInProcess(
          config({
            agent: cheatsheet({ mode: 'dynamic_retrieval' }),
            memory: { _type: 'hybrid', retrieval },
            ...sections,
            ...more,
          } as Parameters<typeof config>[0]),
          { languageModel: new FakeModel(answers), environment: { OPENAI_API_KEY: 'key' } },
        );
      return { provider, run };
    }

    it('retrieves, and says what they cost', async () => {
      const { provider, run } = await place();
      const { metrics, rows } = await run();
      expect(rows.map(({ agent_metrics }) => agent_metrics?.examples_shown)).toEqual([undefined, 1, 2]);
      // Every question once, as a query or as an experience: the texts are the same.
      expect(asked(provider).toSorted()).toEqual(['What is 1 + 0?', 'What is 2 + 0?', 'What is 3 + 0?']);
      expect(metrics.embeddings).toMatchObject({ texts: 3 });
    });

    it('waits for a server that is unreachable, and pays once', async () => {
      const { provider, run } = await place();
      provider.next({ kind: 'status', status: 503, message: 'away' });
      const { metrics, rows } = await run();
      expect(metrics).toMatchObject({ status: 'done', errors: 0, embeddings: { texts: 3 } });
      expect(rows.map(({ agent_metrics }) => agent_metrics?.examples_shown)).toEqual([undefined, 1, 2]);
    });

    it('ends where the server refuses the key', async () => {
      const { provider, run } = await place();
      provider.intercept = () => ({ kind: 'status', status: 401, message: 'who are you?' });
      expect((await run()).metrics).toMatchObject({ status: 'failed', samples: 1 });
    });

    it('counts vectors against the limits', async () => {
      const { run: unlimited } = await place();
      const [first] = (await unlimited()).rows;
      const { input_tokens = 0, output_tokens = 0 } = first?.usage ?? {};
      const { run } = await place({ limits: { max_tokens: input_tokens + output_tokens + 1 } });
      const { metrics } = await run();
      // The one token that the first call left is spent on vectors before the second call.
      expect(metrics).toMatchObject({ status: 'limit_reached', lm_calls: 1 });
      expect(metrics.embeddings?.texts).toBeGreaterThan(0);
    });

    it('pays for nothing that came with the loaded memory', async () => {
      const { provider, run } = await place();
      const folder = await mkdtemp(join(tmpdir(), 'reprise-loaded-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const path = join(folder, 'notes.json');
      await writeFile(path, JSON.stringify((await run()).memory));
      const identity = `openai/text-embedding-3-small at ${new URL(provider.baseUrl).host} bytes=8000`;
      const kept = new KeptVectors({
        files: { read: async () => null, write: async () => {} },
        identity,
        hash,
      });
      const known = asked(provider).map((text) => ({
        hash: kept.hashOf(text),
        vector: Float32Array.from({ length: 1536 }, () => 1),
      }));
      let lines = '';
      for await (const line of jsonLines(writeVectors(known, identity))) lines += line;
      await writeFile(join(folder, 'notes.vectors.jsonl'), lines);
      provider.requests.length = 0;
      const { metrics } = await run({ output: { load_memory_path: path } });
      expect(asked(provider)).toEqual([]);
      expect(metrics.embeddings).toBeUndefined();
    });
  });
});
