import { beforeEach, expect, test } from 'vitest';
import {
  beginRounds,
  boundRounds,
  EndlessLoopError,
  MAX_PAUSES,
  MAX_ROUNDS,
  resumed,
  round,
} from '../../src/user-code/agents/rounds.js';

beforeEach(() => {
  boundRounds(() => true);
  beginRounds();
});

const times = (count: number, work: () => void) => {
  for (let done = 0; done < count; done++) work();
};

test('as many rounds as are allowed pass, and the next one does not, nor any after it', () => {
  times(MAX_ROUNDS, round);
  const message = 'the agent computed 20,000,000 rounds without a pause: a loop without an end?';
  expect(round).toThrow(new EndlessLoopError('the agent computed 20,000,000 rounds without a pause'));
  expect(round).toThrow(message);
});

test('rounds are counted anew after a pause, and pauses in each turn', () => {
  times(MAX_ROUNDS, round);
  expect(resumed('a value')).toBe('a value');
  times(MAX_ROUNDS, round);
  times(MAX_PAUSES - 1, () => resumed(0));
  const message = 'the agent awaited 200,000 times in one turn: a loop without an end?';
  expect(() => resumed(0)).toThrow(message);
  beginRounds();
  round();
  resumed(0);
});

test('a run that began without a bound has none', () => {
  boundRounds(() => false);
  times(MAX_ROUNDS + 10, round);
  times(MAX_PAUSES + 10, () => resumed(0));
});
