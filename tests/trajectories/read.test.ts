import { describe, expect, test } from 'vitest';
import { plainCopy } from '../../src/trajectories/frozen.js';
import { InvalidTrajectoryError, read, trust } from '../../src/trajectories/read.js';
import { chatSchema, timeStepSchema } from '../../src/trajectories/schema.js';

describe('what was checked as part of something larger', () => {
  const nothing = { logprobs: null, top_tokens: null, token_top_logprobs: null };

  test('is taken as it is, and frozen', () => {
    const data = trust({ messages: [{ role: 'user', content: 'a' }], ...nothing }, chatSchema);
    expect(read(chatSchema, data, 'chat')).toBe(data);
    expect(Object.isFrozen(data.messages[0])).toBe(true);
  });

  test('is checked all the same as anything else', () => {
    const data = trust({ messages: [], ...nothing }, chatSchema);
    expect(() => read(timeStepSchema, data, 'time step')).toThrow(InvalidTrajectoryError);
  });
});

describe('a plain copy', () => {
  test('has the data of instances, and leaves out what is undefined', () => {
    const made = { a: [{ toJSON: () => ({ b: 1 }) }], c: undefined, d: Object.create(null) };
    expect(plainCopy(made)).toEqual({ a: [{ b: 1 }], d: {} });
    expect(Object.keys(plainCopy(made) as object)).toEqual(['a', 'd']);
  });

  test.each([
    [Number.POSITIVE_INFINITY, 'a.0 is Infinity'],
    [new Date(0), 'a.0 is a Date'],
    [new Map(), 'a.0 is a Map'],
    [() => 1, 'a.0 is a function'],
    [1n, 'a.0 is a bigint'],
    [undefined, 'a.0 is undefined'],
  ])('refuses %s, which JSON would lose', (value, message) => {
    expect(() => plainCopy({ a: [value] })).toThrow(message);
  });
});
