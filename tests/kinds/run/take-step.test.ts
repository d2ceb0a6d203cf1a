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

  test.each<[object, string]>([
    [
      { ...NEXT, state: { seen: new Set(['a']) } },
      "it holds a Set: answer what is in it as an object or a list, in 'seen'",
    ],
    [
      { ...NEXT, state: { best: Infinity } },
      "it holds Infinity, which JSON gives back as null: answer null or a text, in 'best'",
    ],
    [
      { ...NEXT, state: { grid: new Int8Array(3) } },
      "it holds a Int8Array: answer what is in it as a list, in 'grid'",
    ],
    [
      { ...LAST, info: { tries: new Map([['a', 1]]) } },
      "it holds a Map: answer what is in it as an object or a list, in 'tries'",
    ],
    [
      { ...LAST, feedback: { ...FEEDBACK, extra: { by: new Map() } } },
      "it holds a Map: answer what is in it as an object or a list, in 'by'",
    ],
  ])('that answers what JSON would change is an error of the environment: %o', async (outcome, message) => {
    expect(await step(outcome)).toEqual({
      error: {
        type: 'EnvironmentError',
        message: `TypeError: step answered what cannot be written as JSON: ${message}`,
      },
    });
  });

  test.each<[object, unknown]>([
    [{ at: new Date(0), none: undefined }, { at: '1970-01-01T00:00:00.000Z' }],
    [
      new (class Board {
        rows = [[1]];
        get width() {
          return 1;
        }
      })(),
      { rows: [[1]] },
    ],
    [
      {
        seen: new (class extends Set<string> {
          toJSON() {
            return [...this];
          }
        })(['a']),
      },
      { seen: ['a'] },
    ],
  ])('may have what JSON writes: %o', async (state, written) => {
    expect(JSON.parse(JSON.stringify(await step({ ...NEXT, state })))).toMatchObject({ state: written });
  });

  test('may leave what it likes in its last state and figures that are none beside it', async () => {
    const info = { mean: Number.NaN };
    expect(await step({ ...LAST, state: new Map(), info })).toMatchObject({ done: true, info });
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
    [{ state: new Map(), obs: '' }, 'reset answered what cannot be written as JSON: it holds a Map'],
  ])('as %o is refused', async (outcome, message) => {
    expect(await begin(() => outcome)).toEqual({
      error: { type: 'EnvironmentError', message: expect.stringContaining(`TypeError: ${message}`) },
    });
  });
});
