import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { executeInContainer } from '../../src/sandboxes/container-execution.js';
import type { WaitingContainer } from '../../src/sandboxes/container-start.js';
import type { DockerDaemon } from '../../src/sandboxes/docker-daemon.js';
import type { RunnerAnswer } from '../../src/sandboxes/runner-protocol.js';
import { SandboxError } from '../../src/sandboxes/sandbox.js';
import { LIMITS } from './limits.js';

const ANSWER: RunnerAnswer = {
  type: 'result',
  status: 'ok',
  exit_code: 0,
  seconds: 0.1,
  stdout: '',
  stderr: '',
  truncated: false,
  returned: null,
};

/** A program whose runner has not spoken when its time is over, and what the daemon then says of its container. */
function silent(state: object | Error, answerMeanwhile?: RunnerAnswer) {
  let answer = (_: RunnerAnswer | null) => {};
  const waiting = {
    stream: new PassThrough(),
    nonce: 'nonce',
    container: {
      inspect: async () => {
        answer(answerMeanwhile ?? null);
        if (state instanceof Error) throw state;
        return { State: state };
      },
    },
    conversation: {
      started: Promise.resolve(true),
      answer: new Promise<RunnerAnswer | null>((resolve) => {
        answer = (given) => given !== null && resolve(given);
      }),
      complaint: () => '',
    },
  } as unknown as WaitingContainer;
  const daemon = {
    call: (action: (client: unknown, signal: AbortSignal) => Promise<unknown>) =>
      action(null, new AbortController().signal),
  } as unknown as DockerDaemon;
  const limits = { ...LIMITS, timeout_sec: 0.01 };
  return executeInContainer(daemon, waiting, '\n', { limits }, null);
}

const RUNNING = { Running: true, Paused: false, OOMKilled: false, ExitCode: 0 };

describe('a container whose runner is silent at the deadline', () => {
  test('that works is one whose program keeps the runner from its work: a timeout', async () => {
    expect((await silent(RUNNING)).result).toMatchObject({ status: 'timeout', exit_code: null });
  });

  test.each<[string, object | Error, RegExp]>([
    ['is paused', { ...RUNNING, Paused: true }, /paused from outside/],
    ['was killed', { ...RUNNING, Running: false, ExitCode: 137 }, /ended from outside \(exit code 137\)/],
    ['cannot be asked about', new SandboxError('the Docker daemon does not answer', true), /does not answer/],
  ])('that %s is no result of the program', async (_name, state, message) => {
    await expect(silent(state)).rejects.toMatchObject({
      name: 'SandboxError',
      retryable: true,
      message: expect.stringMatching(message),
    });
  });

  test('that died of its memory is a result', async () => {
    const dead = { ...RUNNING, Running: false, OOMKilled: true, ExitCode: 137 };
    expect((await silent(dead)).result.status).toBe('out_of_memory');
  });

  test('may have spoken, and is heard where this process was too busy to listen', async () => {
    expect((await silent(RUNNING, ANSWER)).result.status).toBe('ok');
  });
});
