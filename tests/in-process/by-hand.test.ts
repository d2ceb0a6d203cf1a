import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { HistoryAgent } from '../../src/agents/history-agent.js';
import { InvalidInputError } from '../../src/config/errors.js';
import { loggerInto } from '../../src/contracts/logger.js';
import { Environment, finalStep } from '../../src/environments/environment.js';
import { MathQAEnv } from '../../src/environments/math-qa.js';
import { NumberGuessingEnv } from '../../src/environments/number-guessing.js';
import {
  buildMemory,
  EnvDataset,
  getLmClient,
  gradingServices,
  QAEnvDataset,
  RunTime,
  type RunTimeAgent,
  type RunTimeConfig,
} from '../../src/in-process/index.js';
import { LanguageModelError } from '../../src/language-models/errors.js';
import { isExperienceMemory, isSheetMemory } from '../../src/memory/memory-module.js';
import type { RecordedRequest } from '../support/fake-providers/behaviours.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';

vi.mock('../../src/activities/pause-after.js', () => ({ pauseAfter: () => 1 }));

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider('openai');
});
afterAll(() => provider.close());

const client = (more: object = {}) =>
  getLmClient({ model: 'openai/fake', base_url: provider.baseUrl, ...more });

/** An agent that answers with each of these in turn, and keeps what it hears. */
function saying(...answers: (string | Error)[]) {
  const heard: unknown[] = [];
  const agent: RunTimeAgent = {
    reset: ({ sample_id, trial, num_trials }) => void heard.push(`reset ${sample_id} ${trial}/${num_trials}`),
    act: async (observation) => {
      heard.push(observation);
      const answer = answers.shift() ?? 'nothing';
      if (answer instanceof Error) throw answer;
      return answer;
    },
    observe: async (observation, { correct }, done) => void heard.push([observation, correct, done]),
    endEpisode: async () => void heard.push('end'),
  };
  return { agent, heard };
}

const questions = (...rows: [question: string, answer: string][]) =>
  rows.map(([question, answer], index) => ({ id: `q${index}`, question, answer }));

const dataset = (rows: object[], more: object = {}) =>
  new QAEnvDataset({ items: rows as Record<string, unknown>[], id_field: 'id', ...more });

describe('a RunTime', () => {
  const THREE = questions(['Half of 1?', '0.5'], ['2 + 2?', '4'], ['3 + 3?', '6']);

  test('takes one agent through environments, whose answers are graded as in a run', async () => {
    const { agent, heard } = saying('It is \\boxed{\\frac{1}{2}}.', 'Answer: 5', '6');
    const runTime = new RunTime({ envDataset: dataset(THREE, { task_type: 'numeric' }), agent });
    const { metrics, episodes } = await runTime.run();
    const reward = { mean_reward: 2 / 3, mean_reward_stderr: 1 / 3, mean_reward_interval: [0, 1] };
    const accuracy = { accuracy: 2 / 3, accuracy_stderr: 1 / 3, accuracy_interval: [0, 1] };
    expect(metrics).toEqual({
      samples: 3,
      episodes: 3,
      accuracy_of: 'only_trial',
      correct: 2,
      ...accuracy,
      success_by_trial: [2 / 3],
      success_by_trial_stderr: [1 / 3],
      success_by_trial_interval: [[0, 1]],
      correct_by_trial: [2],
      ...reward,
      errors: 0,
      errors_by_type: {},
      warnings: 0,
      by_task: { MathQAEnv: { samples: 3, correct: 2, errors: 0, ...accuracy, ...reward } },
    });
    expect(episodes.map(({ id, extracted, feedback }) => [id, extracted, feedback?.correct])).toEqual([
      ['q0', '\\frac{1}{2}', true],
      ['q1', '5', false],
      ['q2', '6', true],
    ]);
    expect(heard.slice(0, 4)).toEqual(['reset q0 0/1', 'Half of 1?', [null, true, true], 'end']);
    expect(runTime.envDataset.getDataset()).toHaveLength(3);
  });

  test.each<[RunTimeConfig, (string | Error)[], object]>([
    [{ max_envs_to_visit: 1 }, ['0.5'], { samples: 1, accuracy: 1 }],
    [
      { max_envs_to_visit: null, num_trials: 2 },
      ['1', '0.5', '4', '4', '6', '7'],
      {
        samples: 3,
        episodes: 6,
        correct: 2,
        success_by_trial: [2 / 3, 2 / 3],
        trials_judged: 6,
        mean_over_trials: 4 / 6,
      },
    ],
    [
      { num_trials: 2, early_stop_on_success: true },
      ['0.5', '4', '7', '6'],
      { episodes: 4, correct: 3, accuracy_of: 'any_trial' },
    ],
    [
      {},
      ['0.5', new TypeError('no idea'), '6'],
      {
        samples: 3,
        errors: 1,
        errors_by_type: { TypeError: 1 },
        accuracy: 1,
        error_causes: [{ type: 'TypeError', message: 'no idea', count: 1 }],
      },
    ],
    [
      {},
      ['0.5', new LanguageModelError('rate_limited', 'slowly', { provider: 'x' }), '6'],
      { errors_by_type: { rate_limited: 1 } },
    ],
  ])('with %j and the answers %j comes to %j', async (config, answers, figures) => {
    const { agent } = saying(...answers);
    const { metrics } = await new RunTime({
      config,
      envDataset: dataset(THREE, { task_type: 'numeric' }),
      agent,
    }).run();
    expect(metrics).toMatchObject(figures);
  });

  test('runs one episode of one environment, step by step', async () => {
    const task = { index: 0, id: 'n', question: 'Guess.', target: '7', metadata: {} };
    const environment = new NumberGuessingEnv(task, { options: { max_guesses: 3 } }, gradingServices);
    const { agent } = saying('5', '9', '7');
    const steps = await new RunTime({ envDataset: environment, agent }).runEpisode(environment);
    expect(
      steps.map(({ action, feedback, reward, done }) => [action, feedback.correct, reward, done]),
    ).toEqual([
      ['5', false, 0, false],
      ['9', false, 0, false],
      ['7', true, 1, true],
    ]);
    expect(steps[0]?.obs).toContain('Guess.');
    expect(steps[0]?.next_obs).toBe(steps[1]?.obs);
    expect(steps.at(-1)?.next_obs).toBeNull();
    const capped = new RunTime({
      config: { max_steps_per_episode: 1 },
      envDataset: environment,
      agent: saying('5').agent,
    });
    expect(await capped.runEpisode(environment)).toHaveLength(1);
  });

  test('throws the error of the one episode that it runs, and counts that of an environment in a whole run', async () => {
    class Broken extends Environment {
      reset() {
        return { state: null, obs: 'Go.' };
      }
      step(): never {
        throw new Error('no such service');
      }
    }
    const task = { index: 0, id: 'b', question: '', target: null, metadata: {} };
    const broken = new Broken(task, { options: {} }, gradingServices);
    const { agent } = saying('a', 'b');
    const runTime = new RunTime({ envDataset: new EnvDataset([broken]), agent });
    await expect(runTime.runEpisode(broken)).rejects.toMatchObject({
      name: 'EnvironmentError',
      message: expect.stringContaining('no such service'),
    });
    const { metrics, episodes } = await runTime.run();
    expect(metrics).toMatchObject({ errors: 1, accuracy: null, errors_by_type: { EnvironmentError: 1 } });
    expect(episodes[0]).toMatchObject({ id: 'b', reward: null, steps: [] });
  });

  test('hands the log of its episodes, of the agent and of the environments to a logger', async () => {
    class Loud extends MathQAEnv {
      override async step(...[, action]: Parameters<MathQAEnv['step']>) {
        this.logger.debug('steps', { action });
        return finalStep(await this.evaluate(action));
      }
    }
    const lines: unknown[] = [];
    const logger = loggerInto(
      {
        level: 'DEBUG',
        write: ({ level, name, message, fields }) => void lines.push([level, name, message, fields]),
      },
      'study',
    );
    const task = { index: 0, id: 'l', question: '1 + 1?', target: '2', metadata: {} };
    const envDataset = new Loud(task, { options: {} }, gradingServices);
    await new RunTime({ envDataset, agent: saying('2').agent, logger }).run();
    await new RunTime({ envDataset, agent: saying(new Error('lost')).agent, logger }).run();
    expect(lines).toEqual([
      ['DEBUG', 'study', 'steps', { action: '2' }],
      ['INFO', 'study', 'episode', { sample: 'l', trial: 0, correct: true, reward: 1 }],
      [
        'ERROR',
        'study',
        'episode failed',
        { sample: 'l', trial: 0, error: { type: 'Error', message: 'lost' } },
      ],
    ]);
  });

  test('works with an agent of Reprise, its memory and a model', async () => {
    const languageModel = client();
    const memory = buildMemory({ _type: 'history_list', max_length: 5 });
    const codeExecutor = { execute: () => Promise.reject(new Error('this agent runs no code')) };
    const config = { type: 'history_agent', system_prompt: null, history_k: 10, feedback: 'full' } as const;
    const agent = new HistoryAgent({ config, memory, languageModel, codeExecutor });
    const rows = questions(['What is 1 + 2?', '3'], ['What is 2 + 2?', '5']);
    const { metrics } = await new RunTime({
      envDataset: dataset(rows, { task_type: 'numeric' }),
      agent,
    }).run();
    expect(metrics).toMatchObject({ correct: 1, errors: 0 });
    expect(memory.recall().map(({ _type }) => _type)).toEqual([
      'Action',
      'Feedback',
      'Observation',
      'Action',
      'Feedback',
    ]);
    expect(provider.requests.at(-1)?.lastUserText).toContain('Observation: What is 1 + 2?');
    expect(languageModel.spent).toMatchObject({
      lm_calls: 2,
      usage: { output_tokens: expect.any(Number) },
      cost_usd: null,
    });
  });
});

describe('a dataset of questions', () => {
  test('names the row and the field that are wrong', async () => {
    await expect(dataset([{ id: 'a', question: 'Why?' }]).loadDataset()).rejects.toThrow(
      /target_field|answer/,
    );
    await expect(
      dataset([{ id: 'a', question: 'Why?', answer: 'so' }], { task: 'mcq' }).loadDataset(),
    ).rejects.toThrow(/^the dataset: dataset\.task: /);
  });

  test('has choices in an order that its seed decides', async () => {
    const rows = Array.from({ length: 8 }, (_, index) => ({
      id: `r${index}`,
      question: `${index}?`,
      answer: `a${index}`,
      x: 'x',
      y: 'y',
      z: 'z',
    }));
    const more = { id_field: 'id', choices_field: ['answer', 'x', 'y', 'z'], shuffle_choices: true };
    const observed = async (seed: number) => {
      const environments = await new QAEnvDataset({ items: rows, ...more } as never, { seed }).loadDataset();
      return Promise.all(environments.map(async (environment) => (await environment.reset()).obs));
    };
    expect(await observed(1)).toEqual(await observed(1));
    expect(await observed(1)).not.toEqual(await observed(2));
  });
});

describe('a client of a model', () => {
  test('answers a prompt with a text, and counts what it spends', async () => {
    const model = client({ temperature: 0.7 });
    expect(await model.call('You add.', 'What is 20 + 22?')).toBe('42');
    const { messages, temperature } = (provider.requests.at(-1) as RecordedRequest).body;
    expect(messages).toMatchObject([
      { role: 'system', content: 'You add.' },
      { role: 'user', content: 'What is 20 + 22?' },
    ]);
    expect(temperature).toBe(0.7);
    expect(model.spent.lm_calls).toBe(1);
    expect(model.config).toMatchObject({ provider: 'openai', model: 'fake' });
  });

  test('asks again what may succeed, and nothing else, as often as its config says', async () => {
    provider.next({ kind: 'status', status: 503 }, { kind: 'status', status: 429 });
    expect(await client().call('', 'What is 1 + 1?')).toBe('2');
    provider.next({ kind: 'status', status: 400, message: 'too long' });
    await expect(client().call('', '1 + 1')).rejects.toMatchObject({ kind: 'bad_request' });
    const { calls } = provider.statistics;
    provider.next({ kind: 'status', status: 503 }, { kind: 'status', status: 503 });
    await expect(client({ max_attempts: 2 }).call('', '1 + 1')).rejects.toMatchObject({ kind: 'overloaded' });
    expect(provider.statistics.calls).toBe(calls + 2);
  });

  test('has no answer where the reply is empty', async () => {
    provider.next({ kind: 'reply', text: '' });
    await expect(client().call('', '1 + 1')).rejects.toMatchObject({ name: 'EmptyReply' });
  });

  test('can be told to stop', async () => {
    const send = provider.hold();
    onTestFinished(send);
    const stop = new AbortController();
    const request = { purpose: 'act', messages: [{ role: 'user', content: '1 + 1' }] } as const;
    const asking = client().generate(
      { ...request, messages: [...request.messages] },
      { signal: stop.signal },
    );
    stop.abort();
    await expect(asking).rejects.toMatchObject({ kind: 'cancelled' });
  });

  test.each([
    ['nobody/x', {}, /^the program: lm\.model: 'nobody\/x' does not begin with a provider/],
    [{ model: 'openai/x', temprature: 1 }, {}, /^the program: lm\.temprature: /],
    ['gemini/gemini-2.5-flash', {}, /^lm: provider gemini needs a key: set GEMINI_API_KEY/],
    ['scripted/nowhere.yaml', {}, /^lm\.script: there is no file at /],
  ])('is refused for %j', (config, environment, message) => {
    const refused = () => getLmClient(config as never, { environment });
    expect(refused).toThrow(InvalidInputError);
    expect(refused).toThrow(message);
  });
});

describe('a memory that is built by hand', () => {
  const experience = (obs: string, correct = true, sample_id = obs) => ({
    _type: 'experience' as const,
    obs,
    action: 'a',
    feedback: { correct, message: '' },
    sample_id,
  });

  test('of experiences finds them by words, also those that came since', async () => {
    const memory = buildMemory({ _type: 'hybrid' });
    if (!isExperienceMemory(memory) || !isSheetMemory(memory)) throw new Error('it is none');
    for (const obs of ['apples and pears', 'the moon', 'pears alone'])
      memory.appendExperience(experience(obs));
    const found = async (query: string, k = 2) =>
      (await memory.retrieveExamples(query, k)).map(({ obs }) => obs);
    expect(await found('pears')).toEqual(expect.arrayContaining(['apples and pears', 'pears alone']));
    memory.setCheatsheet('notes');
    memory.update(experience('pears, pears'));
    expect(await found('pears', 3)).toContain('pears, pears');
    expect((await memory.newestExperiences(1)).map(({ obs }) => obs)).toEqual(['pears, pears']);
    expect(memory.getCheatsheet()).toBe('notes');
  });

  test('may find those alone that were judged right, and not that of the same question', async () => {
    const memory = buildMemory({ _type: 'experience_db', retrieval: { correct_only: true } });
    if (!isExperienceMemory(memory)) throw new Error('it is none');
    memory.appendExperience(experience('two pears', false));
    memory.appendExperience(experience('three pears'));
    memory.appendExperience(experience('pears'));
    expect((await memory.retrieveExamples('pears', 5)).map(({ obs }) => obs)).toEqual(['three pears']);
  });

  test.each([
    [{ _type: 'history_list', max_length: 0 }, /^the program: memory\.max_length: /],
    [{ _type: 'diary' }, /^the program: memory\._type: /],
    [{ _type: 'own', file: 'mine.ts' }, /^memory\._type: make a memory of your own with new/],
    [
      { _type: 'hybrid', retrieval: { backend: 'embedding', model: 'openai/x' } },
      /^memory\.retrieval\.backend: /,
    ],
  ])('is refused for %j', (config, message) => {
    expect(() => buildMemory(config as never)).toThrow(InvalidInputError);
    expect(() => buildMemory(config as never)).toThrow(message);
  });
});
