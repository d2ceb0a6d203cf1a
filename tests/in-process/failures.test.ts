import { beforeEach, describe, expect, it } from 'vitest';
import type { GenerateRequest } from '../../src/contracts/language-model.js';
import { runInProcess } from '../../src/in-process/index.js';
import { LanguageModelError } from '../../src/language-models/errors.js';
import { config, FakeModel, solve } from './support.js';

/** Milliseconds that the run would have waited. */
const pauses: unknown[] = [];
const pause = async (milliseconds: number) => void pauses.push(milliseconds);
beforeEach(() => void pauses.splice(0));

const details = { provider: 'openai' };
const busy = (retryAfterMs = 1) =>
  new LanguageModelError('rate_limited', 'slow down', { ...details, status: 429, retryAfterMs });
const reset = () => new LanguageModelError('connection', 'reset', details);
const refused = () => new LanguageModelError('bad_request', 'not like this', { ...details, status: 400 });
const noKey = () => new LanguageModelError('authentication', 'who are you?', { ...details, status: 401 });

describe('calls that fail in process', () => {
  it('are repeated while a repeat may help, after the pause that the provider asks for, at least', async () => {
    const model = new FakeModel((request, attempt) => (attempt < 3 ? busy(1500) : solve(request)));
    const { metrics, calls } = await runInProcess(config({}, 1), { languageModel: model, pause });
    expect(metrics).toMatchObject({ status: 'done', correct: 1, lm_calls: 1 });
    expect(calls[0]).toMatchObject({ attempts: 3, repeated: 0 });
    // Longer than what was asked for once the failures continue.
    expect(pauses).toEqual([1500, 2000]);
  });

  it('are repeated after pauses that grow where the provider says nothing', async () => {
    const model = new FakeModel(reset);
    const { rows } = await runInProcess(config({ lm: { max_attempts: 9 } }, 1), {
      languageModel: model,
      pause,
    });
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(rows[0]?.error?.message).toBe('reset (gave up after 9 attempts)');
  });

  it('end the run where nobody was ever there, and not one by one', async () => {
    const gone = new LanguageModelError('connection', 'ECONNREFUSED', { ...details, isUnsent: true });
    let asked = 0;
    const model = new FakeModel(() => {
      asked += 1;
      return gone;
    });
    const { metrics } = await runInProcess(config({ lm: { max_attempts: 2 } }, 40), {
      languageModel: model,
      pause,
    });
    expect(metrics).toMatchObject({
      status: 'failed',
      status_message: expect.stringMatching(/^cannot connect to .*, 5 times in a row.*: ECONNREFUSED/),
    });
    expect(asked).toBe(5);
  });

  it('keep to lm.requests_per_second', async () => {
    const begun = performance.now();
    const starts: number[] = [];
    const model = new FakeModel((request) => {
      starts.push(performance.now());
      return solve(request);
    });
    await runInProcess(
      config({ lm: { requests_per_second: 10 }, runtime: { memory_scope: 'sample', concurrency: 3 } }, 5),
      { languageModel: model, pause },
    );
    // A tenth of a second between two, counted from before the first, which may start late: the others keep to when it
    // should have. Timers are precise to a few milliseconds.
    expect((starts[4] ?? 0) - begun).toBeGreaterThan(380);
    expect(pauses).toEqual([]);
  });

  it('become an error row after lm.max_attempts, and the run continues', async () => {
    const model = new FakeModel((request) => (request.call.sample_id === 's2' ? reset() : solve(request)));
    const { metrics, rows, calls } = await runInProcess(config({ lm: { max_attempts: 3 } }), {
      languageModel: model,
      pause,
    });
    expect(model.asked).toHaveLength(5);
    expect(rows[1]).toMatchObject({
      error: { type: 'connection', message: 'reset (gave up after 3 attempts)' },
      action: null,
      feedback: null,
      reward: null,
      lm_calls: 0,
    });
    expect(metrics).toMatchObject({
      status: 'incomplete',
      status_message: expect.stringContaining('1 sample is missing (1 connection)'),
      samples: 3,
      correct: 2,
      errors: 1,
      accuracy: 1,
      errors_by_type: { connection: 1 },
      lm_calls: 2,
    });
    expect(calls).toHaveLength(2);
  });

  it('are not repeated where that cannot help', async () => {
    const model = new FakeModel((request) => (request.call.sample_id === 's1' ? refused() : solve(request)));
    const { rows } = await runInProcess(config(), { languageModel: model, pause });
    expect(model.asked).toHaveLength(3);
    expect(rows[0]?.error).toEqual({ type: 'bad_request', message: 'not like this' });
  });

  it('end the run as failed where every call fails from one on, and keep what was done', async () => {
    const model = new FakeModel((request) => (request.call.sample_id === 's2' ? noKey() : solve(request)));
    const { metrics, rows } = await runInProcess(config(), { languageModel: model, pause });
    expect(metrics).toMatchObject({
      status: 'failed',
      status_message: 'who are you?',
      samples: 1,
      correct: 1,
    });
    expect(rows.map(({ id }) => id)).toEqual(['s1']);
    expect(model.asked).toHaveLength(6);
    expect(pauses).toEqual([1000, 2000, 4000, 8000]);
  });

  it('score no empty reply', async () => {
    const model = new FakeModel(() => ({ text: ' ', reasoning: 'It is 3.' }));
    const { metrics, rows, calls } = await runInProcess(config({}, 1), { languageModel: model, pause });
    const message = "the model's reply is empty: all its words are reasoning (finish reason: stop)";
    expect(rows[0]?.error).toEqual({ type: 'EmptyReply', message });
    expect(metrics).toMatchObject({ errors: 1, accuracy: null, cut_off: 0 });
    expect(calls).toHaveLength(1);
  });

  it('judge a reply that used up its token limit before it said anything, and count it apart', async () => {
    const usage = { input_tokens: 5, output_tokens: 2048, reasoning_tokens: 2048 };
    const model = new FakeModel(() => ({
      text: '',
      finish_reason: 'length',
      reasoning: 'Let me see',
      usage,
    }));
    const { metrics, rows } = await runInProcess(config({}, 2), { languageModel: model, pause });
    expect(rows[0]).toMatchObject({ error: null, action: '', reward: 0, feedback: { correct: false } });
    expect(rows[0]?.cut_off).toEqual({
      replies: 1,
      output_tokens: 2048,
      reasoning_tokens: 2048,
      message:
        'the reply was cut off at its token limit with nothing but reasoning in it (2048 of 2048 tokens were reasoning): ' +
        'raise lm.max_output_tokens (2048), or lower lm.thinking_budget',
    });
    expect(metrics).toMatchObject({ errors: 0, accuracy: 0, cut_off: 2, cut_off_reasoning_tokens: 4096 });
  });

  it('make it an error row where lm.on_cut_off says so', async () => {
    const model = new FakeModel(() => ({ text: 'Answer: 3', finish_reason: 'length' }));
    const settings = config({ lm: { on_cut_off: 'error' } }, 1);
    const { metrics, rows, calls } = await runInProcess(settings, { languageModel: model, pause });
    expect(rows[0]).toMatchObject({ error: { type: 'CutOff' }, reward: null, cut_off: { replies: 1 } });
    expect(metrics).toMatchObject({ errors: 1, accuracy: null, cut_off: 1 });
    expect(calls).toHaveLength(1);
  });

  it('share replies to equal prompts with lm.cache', async () => {
    const model = new FakeModel(solve);
    const { metrics, calls } = await runInProcess(
      config({ lm: { cache: true }, runtime: { num_trials: 3, memory_scope: 'sample', concurrency: 1 } }, 2),
      { languageModel: model, pause },
    );
    expect(model.asked).toHaveLength(2);
    expect(metrics).toMatchObject({ lm_calls: 6, lm_calls_cached: 4, correct: 2 });
    expect(calls.map(({ cached = false }) => cached)).toEqual([false, true, true, false, true, true]);
  });
});

describe('limits in process', () => {
  it('make exactly max_lm_calls calls and say why the run ended', async () => {
    const model = new FakeModel(solve);
    const { metrics, rows } = await runInProcess(config({ limits: { max_lm_calls: 2 } }, 5), {
      languageModel: model,
      pause,
    });
    expect(model.asked).toHaveLength(2);
    expect(rows.map(({ id }) => id)).toEqual(['s1', 's2']);
    expect(metrics).toMatchObject({
      status: 'limit_reached',
      status_message: 'limits.max_lm_calls: 2 of 2 calls are made',
      samples: 2,
      samples_planned: 5,
    });
  });

  it('hold with many lanes as well', async () => {
    const model = new FakeModel(solve);
    const { metrics } = await runInProcess(
      config({ limits: { max_lm_calls: 7 }, runtime: { memory_scope: 'sample', concurrency: 5 } }, 20),
      { languageModel: model, pause },
    );
    expect(model.asked).toHaveLength(7);
    expect(metrics).toMatchObject({ status: 'limit_reached', lm_calls: 7, samples: 7 });
  });

  it('list the calls of an episode that was cut off, and leave out its row', async () => {
    const model = new FakeModel(() => 'The answer is 999.');
    const { metrics, rows, calls } = await runInProcess(
      config({
        limits: { max_lm_calls: 4 },
        agent: {
          type: 'reflexion_agent',
          reflection_config: { mode: 'both' },
        },
        dataset: {
          task_type: 'custom',
          env_class: 'NumberGuessingEnv',
          items: [{ id: 'g', question: 'Guess my number.', answer: '7' }],
        },
        runtime: { max_steps_per_episode: 10 },
      }),
      { languageModel: model, pause },
    );
    expect(rows).toEqual([]);
    expect(calls).toHaveLength(4);
    expect(metrics).toMatchObject({ status: 'limit_reached', samples: 0, lm_calls: 4 });
    expect(metrics.usage).toEqual({ input_tokens: 40, output_tokens: 20 });
  });

  it('stop at max_tokens, by no more than the calls in flight', async () => {
    const model = new FakeModel(solve);
    const { metrics } = await runInProcess(config({ limits: { max_tokens: 40 } }, 9), {
      languageModel: model,
      pause,
    });
    // 15 tokens a call: the third one passes 40.
    expect(metrics).toMatchObject({ status: 'limit_reached', lm_calls: 3 });
  });

  it('count a request that is refused, and those that are asked again', async () => {
    let asked = 0;
    const model = new FakeModel((request) => {
      asked += 1;
      if (request.call.sample_id === 's1') return refused();
      if (request.call.sample_id === 's3')
        return new LanguageModelError('malformed_reply', 'no choices', details);
      return solve(request);
    });
    const { metrics } = await runInProcess(config({ limits: { max_lm_calls: 4 } }, 5), {
      languageModel: model,
      pause,
    });
    // The first, the second, and twice the third: there is no leave for its third try.
    expect(asked).toBe(4);
    expect(metrics).toMatchObject({
      status: 'limit_reached',
      lm_calls: 1,
      errors: 1,
      unrecorded: { requests: 3 },
      status_message: 'limits.max_lm_calls: 4 of 4 calls are made, 3 of them for a reply that is not kept',
    });
  });

  it.each([{ max_lm_calls: 5 }, { max_tokens: 1000 }])(
    'a failed call blocks no other: %o',
    async (limits) => {
      const model = new FakeModel((request) =>
        request.call.sample_id === 's1' ? refused() : solve(request),
      );
      const { metrics } = await runInProcess(config({ limits }, 5), { languageModel: model, pause });
      expect(metrics).toMatchObject({ status: 'done', samples: 5, errors: 1, lm_calls: 4 });
    },
  );

  it('stop at max_wall_seconds', async () => {
    const model = new FakeModel(solve);
    // The time is over while the second call is in flight; it may finish, the third never starts.
    const slow = {
      generate: async (request: GenerateRequest) => {
        await new Promise((resolve) => setTimeout(resolve, 600));
        return model.generate(request);
      },
    };
    const { metrics } = await runInProcess(config({ limits: { max_wall_seconds: 1 } }, 5), {
      languageModel: slow,
    });
    expect(metrics).toMatchObject({ status: 'limit_reached', samples: 2, correct: 2 });
    expect(metrics.status_message).toBe('limits.max_wall_seconds: the run has worked for 1 seconds');
  });
});
