import { describe, expect, it } from 'vitest';
import { runInProcess } from '../../src/in-process/index.js';
import { config, FakeModel, prompt, solve, temporaryFile } from './support.js';

const wrong = () => 'The answer is 999.';

describe('memory scope in process', () => {
  it('run: samples go one by one and see what came before', async () => {
    const model = new FakeModel(solve);
    const { rows, memory } = await runInProcess(
      config({ runtime: { memory_scope: 'run', concurrency: 5 }, agent: { history_k: 100 } }),
      { languageModel: model },
    );
    expect(model.mostInFlight).toBe(1);
    expect(model.asked.map(({ call }) => call.sample_id)).toEqual(['s1', 's2', 's3']);
    expect(prompt(model.asked[0] as never)).not.toContain('The answer is');
    expect(prompt(model.asked[2] as never)).toContain('The answer is 1.');
    expect(prompt(model.asked[2] as never)).toContain('The answer is 2.');
    expect(rows.map(({ feedback }) => feedback?.correct)).toEqual([true, true, true]);
    expect(memory._type).toBe('history_list');
  });

  it('sample: samples go side by side, see nothing of each other, and are reported in order', async () => {
    // The first sample is answered last.
    const model = new FakeModel(solve);
    const { rows, memory } = await runInProcess(
      config({ runtime: { memory_scope: 'sample', concurrency: 4 }, agent: { history_k: 100 } }, 12),
      { languageModel: model },
    );
    expect(model.mostInFlight).toBe(4);
    for (const request of model.asked) expect(prompt(request)).not.toContain('The answer is');
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, index) => `s${index + 1}`));
    const { memories } = memory as unknown as {
      memories: Record<string, { entries: { sample_id: string }[] }>;
    };
    expect(Object.keys(memories)).toHaveLength(12);
    for (const [id, { entries }] of Object.entries(memories)) {
      expect(entries.map(({ sample_id }) => sample_id)).toEqual([id, id, id]);
    }
  });
});

describe('trials in process', () => {
  it('tries every sample for each trial and counts the last one', async () => {
    const model = new FakeModel((request) => (request.call.trial < 2 ? wrong() : solve(request)));
    const { metrics, rows } = await runInProcess(config({ runtime: { num_trials: 3 } }), {
      languageModel: model,
    });
    expect(rows.map(({ id, trial }) => `${id}/${trial}`)).toEqual([
      ...['s1/0', 's1/1', 's1/2', 's2/0', 's2/1', 's2/2', 's3/0', 's3/1', 's3/2'],
    ]);
    expect(metrics).toMatchObject({ samples: 3, episodes: 9, correct: 3, correct_by_trial: [0, 0, 3] });
  });

  it('stops a sample early after a success', async () => {
    const model = new FakeModel((request) => (request.call.trial < 1 ? wrong() : solve(request)));
    const { metrics } = await runInProcess(
      config({ runtime: { num_trials: 5, early_stop_on_success: true, memory_scope: 'sample' } }),
      { languageModel: model },
    );
    expect(metrics).toMatchObject({ episodes: 6, lm_calls: 6, success_by_trial: [0, 1, 1, 1, 1] });
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('carry_memory_across_trials: %s', async (carry, attemptsSeen) => {
    const model = new FakeModel(wrong);
    await runInProcess(
      config({ runtime: { num_trials: 2, carry_memory_across_trials: carry }, agent: { history_k: 100 } }, 1),
      { languageModel: model },
    );
    const second = prompt(model.asked[1] as never);
    expect(second.match(/The answer is 999\./g) ?? []).toHaveLength(attemptsSeen);
  });
});

describe('what a run in process is given', () => {
  it('loads one memory for every sample', async () => {
    const first = await runInProcess(config({}, 2), { languageModel: new FakeModel(solve) });
    const path = await temporaryFile('memory.json', JSON.stringify(first.memory));
    for (const memory_scope of ['run', 'sample']) {
      const model = new FakeModel(solve);
      await runInProcess(
        config({ runtime: { memory_scope }, output: { load_memory_path: path }, agent: { history_k: 100 } }),
        { languageModel: model },
      );
      for (const request of model.asked) expect(prompt(request)).toContain('The answer is 2.');
    }
  });

  it('gives each sample its own memory of an earlier run', async () => {
    const runtime = { memory_scope: 'sample' };
    const first = await runInProcess(config({ runtime }, 2), { languageModel: new FakeModel(solve) });
    const path = await temporaryFile('memory.json', JSON.stringify(first.memory));
    const model = new FakeModel(solve);
    const { memory } = await runInProcess(
      config({ runtime, output: { load_memory_path: path }, agent: { history_k: 100 } }, 3),
      { languageModel: model },
    );
    const prompts = Object.fromEntries(
      model.asked.map((request) => [request.call.sample_id, prompt(request)]),
    );
    expect(prompts.s1).toContain('The answer is 1.');
    expect(prompts.s1).not.toContain('The answer is 2.');
    expect(prompts.s2).toContain('The answer is 2.');
    expect(prompts.s3).not.toContain('The answer is');
    const { memories } = memory as unknown as { memories: Record<string, { entries: unknown[] }> };
    expect(Object.values(memories).map(({ entries }) => entries.length)).toEqual([6, 6, 3]);
  });

  it("takes a user's own agent and environment, with several steps an episode", async () => {
    const file = await temporaryFile(
      'own.ts',
      `import { Environment, MemoryAgent } from 'reprise';
       export class Countdown extends Environment {
         reset() { return { state: Number(this.task.target), obs: 'count down from ' + this.task.target }; }
         step(state, action) {
           const left = state - 1;
           const feedback = { correct: left === 0, target: '', message: action };
           return { state: left, obs: left === 0 ? null : 'left: ' + left, feedback, done: left === 0, info: {} };
         }
       }
       export class Shouting extends MemoryAgent {
         async act(observation) { return (await super.act(observation)).toUpperCase(); }
       }`,
    );
    const { metrics, rows } = await runInProcess(
      config({
        dataset: { task_type: 'custom', env_class: 'Countdown', env_file: file },
        agent: { type: 'shouting', file, class_name: 'Shouting' },
      }),
      { languageModel: new FakeModel(() => 'down') },
    );
    expect(rows.map(({ steps, action }) => [steps, action])).toEqual([
      [1, 'DOWN'],
      [2, 'DOWN'],
      [3, 'DOWN'],
    ]);
    expect(rows[2]?.step_records?.map(({ obs }) => obs)).toEqual(['count down from 3', 'left: 2', 'left: 1']);
    expect(metrics).toMatchObject({ agent: 'shouting', correct: 3, lm_calls: 6 });
  });

  it('refuses what a durable run refuses', async () => {
    const languageModel = new FakeModel(solve);
    const noAnswer = config({ dataset: { items: [{ id: '1', question: 'no answer' }] } });
    await expect(runInProcess(noAnswer, { languageModel })).rejects.toThrow(/answer/);
    const file = await temporaryFile('own.ts', 'export const Mine = 1;');
    const noClass = config({ agent: { type: 'mine', file, class_name: 'Mine' } });
    await expect(runInProcess(noClass, { languageModel })).rejects.toThrow(/agent\.class_name/);
    const path = await temporaryFile('memory.json', '{"_type":"per_sample","memories":{}}');
    const wrongMemory = config({ output: { load_memory_path: path } });
    await expect(runInProcess(wrongMemory, { languageModel })).rejects.toThrow(/load_memory_path/);
    expect(languageModel.asked).toEqual([]);
  });

  it('refuses a model whose key is missing', async () => {
    const run = runInProcess(config({ lm: { base_url: undefined } }), { environment: {} });
    await expect(run).rejects.toThrow(/OPENAI_API_KEY/);
  });
});
