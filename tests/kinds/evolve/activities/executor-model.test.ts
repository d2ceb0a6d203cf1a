import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { LanguageModelError, type LanguageModelErrorKind } from '../../../../src/language-models/errors.js';
import { SandboxError } from '../../../../src/sandboxes/sandbox.js';
import { executorWorld, NO_LIMIT, type TestProgram } from '../../../activities/executor-support.js';

const failed = (kind: LanguageModelErrorKind, message = `it said ${kind}`) =>
  new LanguageModelError(kind, message, { provider: 'fake' });

/** Asks one prompt after the other, and returns the replies. */
const asks =
  (...prompts: string[]): TestProgram =>
  async ({ ask }) => {
    const replies: string[] = [];
    for (const prompt of prompts) replies.push(await ask(prompt));
    return replies.join(', ');
  };

describe('a program’s call of its model', () => {
  test('is repeated where the provider fails, from a callback that belongs to no activity', async () => {
    const world = executorWorld({
      program: asks('a'),
      answer: (_request, _signal, count) => {
        if (count === 1) throw failed('rate_limited');
        return 'fine';
      },
    });
    expect(await world.attempt()).toMatchObject({ score: 1, ok: true, lm_calls: 1, cost_usd: 1 });
    expect(world.told).toEqual(['Asking again: it said rate_limited']);
    expect(world.calls()).toMatchObject([{ text: 'fine', attempts: 2, repeated: 0 }]);
  });

  test('is answered from the shared cache where there is one', async () => {
    const world = executorWorld({ program: asks('a'), lm: { cache: true } });
    await world.attempt();
    expect(await world.attempt(1, { example: 'v2' })).toMatchObject({ lm_calls: 1, cost_usd: 0 });
    expect(world.prompts).toEqual(['a']);
    expect(
      world
        .calls()
        .map(({ cached = false }) => cached)
        .sort(),
    ).toEqual([false, true]);
  });

  test('counts as perhaps repeated where a crash may have cut it off, and those after it do not', async () => {
    const world = executorWorld({ program: asks('a', 'b') });
    await world.attempt(3);
    const repeated = world
      .calls()
      .map(({ messages, maybe_repeated = 0 }) => [messages[0]?.content, maybe_repeated]);
    expect(Object.fromEntries(repeated)).toEqual({ a: 2, b: 0 });
  });

  test('that the provider refuses for its content is an error in the program, and the run a result', async () => {
    const world = executorWorld({
      program: async ({ ask }) => ask('').catch((error: Error) => `told: ${error.message}`),
      answer: () => {
        throw failed('bad_request', 'fake refused the request (HTTP 400): empty');
      },
    });
    expect(await world.attempt()).toMatchObject({ score: 1, ok: true, lm_calls: 0 });
    expect(world.finished()).toHaveLength(1);
  });

  test('that the provider withholds is one too', async () => {
    const world = executorWorld({
      program: async ({ ask }) => ask('').catch((error: Error) => `told: ${error.message}`),
      answer: () => {
        throw failed('content_filter', 'fake withheld the reply (SAFETY)');
      },
    });
    expect(await world.attempt()).toMatchObject({ score: 1, ok: true, lm_calls: 0 });
  });

  test.each([
    [
      '',
      'the reply was cut off at its token limit before it said anything: raise models.executor.max_output_tokens',
    ],
    ['half', null],
  ])(
    'whose token limit left it %j is what there is, or an error that names the setting',
    async (text, error) => {
      let told: string | null = null;
      const world = executorWorld({
        program: async ({ ask }) =>
          ask('a').catch((caught: Error) => {
            told = caught.message;
            return 'nothing';
          }),
        answer: () => text,
        ends: 'length',
      });
      expect(await world.attempt()).toMatchObject({ ok: true, lm_calls: 1 });
      if (error === null) expect(told).toBeNull();
      else expect(told).toContain(error);
    },
  );

  test.each<[LanguageModelErrorKind, string]>([
    ['authentication', 'FatalProvider'],
    ['not_found', 'FatalProvider'],
    ['no_such_row', 'no_such_row'],
  ])('that fails with %s ends the run unscored', async (kind, type) => {
    const world = executorWorld({
      program: asks('a'),
      answer: () => {
        throw failed(kind);
      },
    });
    const { attempts, failure } = await world.untilSettled();
    expect(attempts).toBe(1);
    expect(failure).toMatchObject({ type, nonRetryable: true });
    expect(world.finished()).toEqual([]);
  });

  test('is not paid again where the sandbox fails meanwhile', async () => {
    let attempts = 0;
    const world = executorWorld({
      program: async ({ ask }) => {
        attempts += 1;
        const asked = ask('a');
        if (attempts > 1) return asked;
        await sleep(20);
        throw new SandboxError('the daemon is unreachable', true);
      },
      answer: async () => {
        await sleep(100);
        return 'reply';
      },
    });
    await expect(world.attempt()).rejects.toThrow('the daemon is unreachable');
    expect(world.calls()).toHaveLength(1);
    expect(await world.attempt(2)).toMatchObject({ score: 1, lm_calls: 1, cost_usd: 1 });
    expect(world.prompts).toEqual(['a']);
  });

  test('keeps to the rate of its model, and a run that is done is found whatever the rate', async () => {
    const times: number[] = [];
    const world = executorWorld({
      program: async ({ ask }) => (await Promise.all(['a', 'b', 'c', 'd', 'e'].map(ask))).join(),
      lm: { requests_per_second: 10 },
      answer: () => {
        times.push(performance.now());
        return 'reply';
      },
    });
    const begun = performance.now();
    const first = await world.attempt();
    // From before the first request, which may start late: the others keep to when it should have.
    expect((times[4] as number) - begun).toBeGreaterThan(390);
    Object.assign(world.lm, { requests_per_second: 3, max_attempts: 2, timeout_sec: 1 });
    expect(await world.attempt()).toEqual(first);
    expect(world.prompts).toHaveLength(5);
  });
});

describe('where the experiment has nothing left', () => {
  test.each([
    ['money', { ...NO_LIMIT, cost_usd: 2 }],
    ['calls', { ...NO_LIMIT, lm_calls: 2 }],
    ['tokens', { ...NO_LIMIT, tokens: 15 }],
  ])(
    'for %s, a program comes to no result, and continues with its replies when the limit is raised',
    async (_name, left) => {
      const world = executorWorld({
        program: async ({ ask }) =>
          `${await ask('a')} ${await ask('b')} ${await ask('c').catch(() => 'gave up')}`,
      });
      const { attempts, failure } = await world.untilSettled({ left });
      expect(attempts).toBe(1);
      expect(failure).toBeInstanceOf(ApplicationFailure);
      expect(failure).toMatchObject({
        type: 'LimitReached',
        nonRetryable: true,
        details: [{ lm_calls: 2, usage: { input_tokens: 12, output_tokens: 8 }, cost_usd: 2 }],
      });
      expect(world.finished()).toEqual([]);
      expect(await world.attempt()).toMatchObject({ score: 1, lm_calls: 3, cost_usd: 3 });
      expect(world.prompts).toEqual(['a', 'b', 'c']);
    },
  );

  test('what is in progress is kept', async () => {
    const world = executorWorld({
      program: async ({ ask }) => (await Promise.all([ask('a'), ask('b')])).join(),
      answer: async () => {
        await sleep(100);
        return 'late';
      },
    });
    const { failure } = await world.untilSettled({ left: { ...NO_LIMIT, lm_calls: 1 } });
    expect(failure).toMatchObject({ type: 'LimitReached', details: [{ lm_calls: 1 }] });
    expect(world.calls()).toMatchObject([{ text: 'late' }]);
  });

  test('a program that looks first comes to no result either', async () => {
    const world = executorWorld({
      program: async ({ ask, resources }) => {
        const left: unknown[] = [];
        for (const prompt of ['a', 'b']) {
          left.push(await resources());
          await ask(prompt);
        }
        return JSON.stringify([...left, await resources()]);
      },
    });
    const left = { ...NO_LIMIT, cost_usd: 2 };
    await expect(world.attempt(1, { left })).rejects.toMatchObject({ type: 'LimitReached' });
    await world.attempt(1, { left: { ...NO_LIMIT, cost_usd: 5, lm_calls: 4 } });
    const seen = [
      { calls: 4, usd: 5 },
      { calls: 3, usd: 4 },
      { calls: 2, usd: 3 },
    ];
    expect(JSON.parse(world.output())).toEqual(seen);
  });

  test('the program’s own limits are the program’s own affair', async () => {
    const world = executorWorld({
      program: async ({ ask }) => `${await ask('a')}${await ask('b').catch((error: Error) => error.message)}`,
      executor: { max_lm_calls_per_execution: 1 },
    });
    expect(await world.attempt(1, { left: { ...NO_LIMIT, lm_calls: 1 } })).toMatchObject({
      score: 1,
      lm_calls: 1,
    });
    expect(world.finished()).toHaveLength(1);
  });
});
