import { expect, test } from 'vitest';
import { asError, putBackIntrinsics, runUserCode, shownValue } from '../../src/contracts/run-user-code.js';
import { HOSTILE_THROWS } from '../support/hostile-throws.js';

test.each(HOSTILE_THROWS)('%s becomes an error with words', async (_name, statement, said) => {
  const { stringify } = JSON;
  const error = await runUserCode(new Function(statement) as () => void).catch((thrown: Error) => thrown);
  expect(JSON.stringify).toBe(stringify);
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

test('what is overwritten of the language is put back, and what is added stays', () => {
  const { map, [Symbol.iterator]: iterator } = Array.prototype;
  const { size } = Object.getOwnPropertyDescriptors(Map.prototype);
  const language = globalThis as { JSON: unknown };
  const json = language.JSON;
  Object.assign(Array.prototype, { map: null, [Symbol.iterator]: null, ours: 1 });
  Object.defineProperty(Map.prototype, 'size', { get: () => 7, configurable: true });
  Object.assign(Object, { keys: null, assign: null });
  language.JSON = undefined;
  putBackIntrinsics();
  expect(language.JSON).toBe(json);
  expect(Array.prototype.map).toBe(map);
  expect(Array.prototype[Symbol.iterator]).toBe(iterator);
  expect(Object.getOwnPropertyDescriptor(Map.prototype, 'size')).toEqual(size);
  expect(Object.keys({ a: 1 })).toEqual(['a']);
  expect(Reflect.get(Array.prototype, 'ours')).toBe(1);
  Reflect.deleteProperty(Array.prototype, 'ours');
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
