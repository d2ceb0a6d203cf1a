import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Environment, type EnvironmentClass } from '../../../src/environments/environment.js';
import { beginEpisode, takeStep } from '../../../src/kinds/run/take-step.js';

const FEEDBACK = { correct: true, target: 't', message: 'm' };
const LAST = { state: null, obs: null, feedback: FEEDBACK, done: true, info: {} };
const NEXT = { ...LAST, state: { at: 1 }, obs: 'next', done: false };

const TASK = { index: 0, id: 's1', question: 'q', target: null, metadata: {} };

const HERE = fileURLToPath(import.meta.url);

const playable = (Mine: EnvironmentClass, file?: string) => ({
  make: () => new Mine(TASK, { options: {} }, { compareSymbolically: async () => undefined }),
  file,
});

/** What a lane is answered where `step` of a user's environment answers this, whatever its type. */
function step(outcome: unknown) {
  class Mine extends Environment {
    override reset() {
      return { state: null, obs: 'first' };
    }
    override step() {
      return outcome as never;
    }
  }
  return takeStep(playable(Mine), null, 'action');
}

describe('a step', () => {
  test('has the next state and observation, and neither after the last one', async () => {
    expect(await step(NEXT)).toEqual({ state: { at: 1 }, obs: 'next', feedback: FEEDBACK, done: false });
    expect(await step(LAST)).toEqual({ feedback: FEEDBACK, done: true });
    expect(await step({ ...LAST, reward: -0.5, obs: 'bye' })).toEqual({
      feedback: FEEDBACK,
      done: true,
      reward: -0.5,
    });
  });

  test('has what the environment says beside, where it says something', async () => {
    const info = { tries: 3 };
    expect(await step({ ...LAST, info })).toEqual({ feedback: FEEDBACK, done: true, info });
    const { info: _info, ...without } = LAST;
    expect(await step(without)).toEqual({ feedback: FEEDBACK, done: true });
  });

  test('that answers what cannot be written down is an error of the environment', async () => {
    const count = { type: 'EnvironmentError', message: expect.stringMatching(/^TypeError: .*JSON.*BigInt/) };
    expect(await step({ ...LAST, info: { count: 3n } })).toEqual({ error: count });
  });

  test.each<[unknown, string]>([
    [{ ...LAST, reward: Number.NaN }, 'step answered reward: NaN; it must be a finite number, or left out'],
    [{ ...LAST, reward: '0.5' }, 'step answered reward: "0.5"; it must be a finite number, or left out'],
    [
      { ...LAST, reward: Infinity },
      'step answered reward: Infinity; it must be a finite number, or left out',
    ],
    [
      { ...LAST, feedback: { ...FEEDBACK, correct: 'no' } },
      'step answered feedback.correct: "no"; it must be true or false',
    ],
    [
      { ...LAST, feedback: { ...FEEDBACK, target: 42 } },
      'step answered feedback.target: 42; it must be a text',
    ],
    [
      { ...LAST, feedback: { correct: true, target: 't' } },
      'step answered feedback.message: undefined; it must be a text',
    ],
    [
      { ...LAST, feedback: { ...FEEDBACK, extra: [1] } },
      'step answered feedback.extra: [1]; it must be an object, or left out',
    ],
    [{ ...LAST, info: ['x'] }, 'step answered info: ["x"]; it must be an object, or left out'],
    [{ ...NEXT, obs: null }, 'step answered obs: null; it must be a text, unless it is done'],
    [{ ...NEXT, done: undefined }, 'step answered done: undefined; it must be true or false'],
    [{ ...LAST, feedback: undefined }, 'step answered no feedback: an object of correct, target and message'],
    [undefined, 'step answered no object of state, obs, feedback, done and info'],
  ])('that answers %j is an error of the environment, never a score', async (outcome, message) => {
    expect(await step(outcome)).toEqual({
      error: { type: 'EnvironmentError', message: `TypeError: ${message}` },
    });
  });
});

describe('the begin of an episode', () => {
  function begin(reset: () => unknown, file?: string) {
    class Mine extends Environment {
      override reset() {
        return reset() as never;
      }
      override step() {
        return LAST;
      }
    }
    return beginEpisode(playable(Mine, file));
  }

  test('has the first state and observation', async () => {
    expect(await begin(() => ({ state: { at: 0 }, obs: 'first' }))).toEqual({
      state: { at: 0 },
      obs: 'first',
    });
    expect(await begin(async () => ({ obs: 'first' }))).toEqual({ state: null, obs: 'first' });
  });

  test('that fails is an error of the environment, with its place', async () => {
    const failed = await begin(() => {
      throw new RangeError('no such level');
    }, HERE);
    const message = expect.stringMatching(/^RangeError: no such level \(take-step\.test\.ts:\d+\)$/);
    expect(failed).toEqual({ error: { type: 'EnvironmentError', message } });
  });

  test('that throws no error says what was thrown', async () => {
    const failed = await begin(() => {
      throw 'no such level';
    });
    expect(failed).toEqual({ error: { type: 'EnvironmentError', message: 'Error: no such level' } });
  });

  test.each<[unknown, string]>([
    [undefined, 'reset answered no object of state and obs'],
    [{ state: null }, 'reset answered obs: undefined; it must be a text'],
    [{ state: null, obs: 3 }, 'reset answered obs: 3; it must be a text'],
    [
      { state: 3n, obs: '' },
      'reset answered what cannot be written as JSON: Do not know how to serialize a BigInt',
    ],
  ])('as %o is refused', async (outcome, message) => {
    expect(await begin(() => outcome)).toEqual({
      error: { type: 'EnvironmentError', message: expect.stringContaining(`TypeError: ${message}`) },
    });
  });
});
