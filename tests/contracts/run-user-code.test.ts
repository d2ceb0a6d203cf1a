import { expect, test } from 'vitest';
import { asError, runUserCode, shownValue } from '../../src/contracts/run-user-code.js';
import { HOSTILE_THROWS } from '../support/hostile-throws.js';

test.each(HOSTILE_THROWS)('%s becomes an error with words', async (_name, statement, said) => {
  const error = await runUserCode(new Function(statement) as () => void).catch((thrown: Error) => thrown);
  expect(error).toBeInstanceOf(Error);
  const { message, name, stack } = error as Error;
  expect([message, name, stack].map((text) => typeof text)).toEqual(['string', 'string', 'string']);
  expect(message).toMatch(said);
});

test('an error stays what it is', () => {
  class OwnError extends Error {}
  const error = new OwnError('mine', { cause: 1 });
  expect(asError(error)).toBe(error);
});

test('a value is shown, whatever it is', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const values = [1, undefined, 'a', Object.create(null), cycle, 7n, Symbol('s'), 'x'.repeat(1000)];
  const shown = values.map(shownValue);
  expect(shown.slice(0, 4)).toEqual(['1', 'undefined', '"a"', '{}']);
  expect(shown[4]).toBe('what cannot be shown (object)');
  expect(shown[7]).toHaveLength(501);
});
