import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LanguageModelError } from '../../../../src/language-models/errors.js';
import { KilledError, SandboxError } from '../../../../src/sandboxes/sandbox.js';
import { callsPrefix } from '../../../../src/storage/paths.js';
import { StorageError } from '../../../../src/storage/storage-error.js';
import { executorWorld, type ProgramHandle, type TestProgram } from '../../../activities/executor-support.js';
import { blockEventLoop } from '../../../sandboxes/limits.js';

const never = () => new Promise<never>(() => {});
const busy = () => new LanguageModelError('server', 'out of order', { provider: 'fake' });
const together =
  (...prompts: string[]) =>
  async ({ ask }: ProgramHandle) =>
    (await Promise.all(prompts.map(ask))).join();

describe('a program whose time is over', () => {
  test('scores 0 where it has spent its time itself, model or not', async () => {
    const world = executorWorld({
      program: async ({ ask }) => {
        await ask('a');
        return never();
      },
      // A busy machine may keep its one request waiting for a while; only a share of this makes that our own fault.
      timeout_sec: 4,
    });
    expect(await world.untilSettled()).toMatchObject({ run: { score: 0, ok: false, lm_calls: 1 } });
    expect(world.finished()).toHaveLength(1);
  });

  test.each<[string, TestProgram]>([
    ['asks nothing', never],
    [
      'asks after that',
      async ({ resources }) => {
        await sleep(800);
        await resources();
        return never();
      },
    ],
  ])('scores 0 where the worker was busy, and it %s', async (_name, program) => {
    const world = executorWorld({ program, timeout_sec: 1 });
    const settled = world.untilSettled();
    await sleep(20);
    blockEventLoop(300);
    expect(await settled).toMatchObject({ attempts: 1, run: { score: 0 } });
  });

  test('is no result where the worker was too busy to hear what it asked', async () => {
    let attempts = 0;
    const world = executorWorld({
      program: async ({ ask }) => {
        attempts += 1;
        if (attempts > 1) return ask('a');
        // What it asks meanwhile comes through a socket.
        setImmediate(() => blockEventLoop(300));
        await new Promise((resolve) => setTimeout(resolve, 1));
        await ask('a');
        return never();
      },
      timeout_sec: 1,
    });
    expect(await world.untilSettled()).toMatchObject({ attempts: 2, run: { score: 1 } });
  });

  test('scores 0 where its model was slow: the reply comes later, and is kept and paid', async () => {
    const world = executorWorld({
      program: together('write a book'),
      answer: async () => {
        await sleep(1300);
        return 'a book';
      },
      timeout_sec: 1,
    });
    expect(await world.untilSettled()).toMatchObject({
      attempts: 1,
      run: { score: 0, lm_calls: 1, cost_usd: 1 },
    });
    expect(world.calls()).toMatchObject([{ text: 'a book' }]);
  });

  test('is no result where its model never answers: tried again, but not for ever', async () => {
    const world = executorWorld({
      program: together('a'),
      answer: never,
      lm: { timeout_sec: 0.2 },
      timeout_sec: 0.1,
    });
    const { attempts, failure } = await world.untilSettled();
    expect(attempts).toBe(3);
    expect(failure).toMatchObject({
      type: 'Unscored',
      nonRetryable: true,
      message: expect.stringMatching(/^scaffold 0 has no result on valid example v1: /),
      details: [{ lm_calls: 0 }],
    });
    expect(world.finished()).toEqual([]);
  });

  test('is no result where it waited for our own places', async () => {
    const world = executorWorld({
      program: together('a', 'b'),
      answer: async () => {
        await sleep(150);
        return 'reply';
      },
      maxConcurrentCalls: 1,
      timeout_sec: 0.25,
    });
    expect(await world.untilSettled()).toMatchObject({ attempts: 2, run: { score: 1, lm_calls: 2 } });
    expect(world.prompts).toHaveLength(2);
  });

  test('is no result where it waited for our own rate, as often as that brings it further', async () => {
    const world = executorWorld({
      program: async ({ ask }) => {
        let text = '';
        for (const prompt of ['a', 'b', 'c', 'd', 'e', 'f']) text += await ask(prompt);
        return text;
      },
      lm: { requests_per_second: 10 },
      timeout_sec: 0.12,
    });
    const { attempts, run } = await world.untilSettled();
    expect(run).toMatchObject({ score: 1, lm_calls: 6, cost_usd: 6 });
    expect(attempts).toBeGreaterThan(3);
    expect(world.prompts).toHaveLength(6);
  });

  test('is no result where it waited for the store, which gets the reply all the same', async () => {
    let failures = 1;
    const world = executorWorld({
      program: together('a'),
      timeout_sec: 0.1,
      failWrite: (key) => {
        if (!key.startsWith(callsPrefix()) || failures-- <= 0) return;
        throw new StorageError({
          message: 'disk full',
          uri: 'memory:',
          key,
          code: 'ENOSPC',
          retryable: true,
        });
      },
    });
    expect(await world.untilSettled()).toMatchObject({ attempts: 2, run: { score: 1 } });
    expect(world.prompts).toEqual(['a']);
  });

  test('scores 0 where the provider took its time to refuse what it asked', async () => {
    const world = executorWorld({
      program: async ({ ask }) => {
        await ask('a').catch(() => undefined);
        return never();
      },
      answer: async () => {
        await sleep(200);
        throw new LanguageModelError('bad_request', 'no', { provider: 'fake' });
      },
      timeout_sec: 0.5,
    });
    expect(await world.untilSettled()).toMatchObject({ attempts: 1, run: { score: 0, lm_calls: 0 } });
  });

  test('scores 0 as soon as nothing keeps it waiting any more', async () => {
    const world = executorWorld({
      program: async ({ ask }) => {
        await ask('a');
        return never();
      },
      answer: (_request, _signal, count) => {
        if (count === 1) throw busy();
        return 'reply';
      },
      timeout_sec: 0.5,
    });
    expect(await world.untilSettled()).toMatchObject({ attempts: 2, run: { score: 0, lm_calls: 1 } });
  });

  test('has cost what every attempt has paid, also for prompts that it did not repeat', async () => {
    let number = 0;
    const world = executorWorld({
      program: async ({ ask }) => {
        number += 1;
        return `${await ask(`first of ${number}`)} ${await ask(`second of ${number}`)}`;
      },
      answer: (_request, _signal, count) => {
        if (count === 2) throw busy();
        return 'reply';
      },
      timeout_sec: 0.1,
    });
    const { attempts, run } = await world.untilSettled();
    expect(attempts).toBe(2);
    expect(run).toMatchObject({ lm_calls: 3, cost_usd: 3, usage: { input_tokens: 18, output_tokens: 12 } });
    expect(world.calls()).toHaveLength(3);
  });
});

describe('a program that ends by itself', () => {
  /** Waits for its model so many milliseconds, and then does without. */
  const patient =
    (milliseconds: number, without: () => string): TestProgram =>
    async ({ ask }) =>
      Promise.race([ask('a'), sleep(milliseconds).then(without)]);
  const guess = () => 'a guess';
  const fail = () => {
    throw new Error('no reply');
  };

  test.each([
    ['has a result', guess],
    ['fails', fail],
  ])(
    'and %s is not scored while its model is unreachable, and is in the end given up',
    async (_how, without) => {
      const world = executorWorld({
        program: patient(30, without),
        answer: () => {
          throw busy();
        },
      });
      const { attempts, failure } = await world.untilSettled();
      expect(attempts).toBe(3);
      expect(failure).toMatchObject({
        type: 'Unscored',
        nonRetryable: true,
        message:
          'scaffold 0 has no result on valid example v1: it ended while the model failed to answer one of its requests',
        details: [{ lm_calls: 0, cost_usd: 0 }],
      });
      expect(world.finished()).toEqual([]);
    },
  );

  test.each([
    ['has a result', guess],
    ['fails', fail],
  ])('and %s is scored once its model is back', async (_how, without) => {
    const world = executorWorld({
      program: patient(100, without),
      answer: (_request, _signal, count) => {
        if (count === 1) throw busy();
        return 'reply';
      },
    });
    expect(await world.untilSettled()).toMatchObject({ attempts: 2, run: { score: 1, lm_calls: 1 } });
    expect(world.output()).toBe('reply');
  });

  test('is scored where its model was slow: that time is its own', async () => {
    const world = executorWorld({
      program: patient(100, guess),
      answer: async () => {
        await sleep(400);
        return 'late';
      },
    });
    expect(await world.untilSettled()).toMatchObject({ attempts: 1, run: { score: 1 } });
    expect(world.output()).toBe('a guess');
  });

  test('has paid for the reply that it did not wait for', async () => {
    const world = executorWorld({
      program: async ({ ask }) => {
        void ask('a');
        // The model has the request by then.
        await sleep(20);
        return 'done';
      },
      answer: async () => {
        await sleep(100);
        return 'late';
      },
    });
    expect(await world.untilSettled()).toMatchObject({
      attempts: 1,
      run: { score: 1, lm_calls: 1, cost_usd: 1 },
    });
    expect(world.calls()).toMatchObject([{ text: 'late' }]);
  });

  test('and fails is tried again where it had waited for others, and scored with what it has by then', async () => {
    let runs = 0;
    const world = executorWorld({
      program: async ({ ask }) => {
        runs += 1;
        const reply = await ask('a');
        if (runs === 1) throw new Error('too late');
        return reply;
      },
      answer: (_request, _signal, count) => {
        if (count === 1) throw busy();
        return 'reply';
      },
    });
    expect(await world.untilSettled()).toMatchObject({ attempts: 2, run: { score: 1, lm_calls: 1 } });
  });

  test('and has all that it asked for is scored, however long it had waited', async () => {
    const world = executorWorld({
      program: together('a'),
      answer: (_request, _signal, count) => {
        if (count === 1) throw busy();
        return 'reply';
      },
    });
    expect(await world.untilSettled()).toMatchObject({ attempts: 1, run: { score: 1 } });
  });

  test('is given up where its model is, with what it has paid before', async () => {
    const world = executorWorld({
      program: async ({ ask }) => `${await ask('a')} ${await ask('b')}`,
      answer: (request) => {
        if (request.messages.at(-1)?.content === 'b') throw busy();
        return 'reply';
      },
      lm: { max_attempts: 2 },
    });
    expect(await world.untilSettled()).toMatchObject({
      attempts: 1,
      failure: {
        type: 'Unscored',
        message: expect.stringContaining('out of order (gave up after 2 attempts)'),
        details: [{ lm_calls: 1, cost_usd: 1 }],
      },
    });
    expect(world.finished()).toEqual([]);
  });
});

test('a program that is killed three times from outside is given up, and other failures are no kills', async () => {
  let attempts = 0;
  const world = executorWorld({
    program: async ({ ask }) => {
      attempts += 1;
      await ask('a');
      if (attempts % 2 === 0) throw new SandboxError('the daemon is unreachable', true);
      throw new KilledError('killed from outside', true);
    },
  });
  expect(await world.untilSettled()).toMatchObject({
    attempts: 5,
    failure: {
      type: 'Unscored',
      message: 'scaffold 0 has no result on valid example v1: killed from outside',
      details: [{ lm_calls: 1, cost_usd: 1 }],
    },
  });
  expect(world.finished()).toEqual([]);
});
