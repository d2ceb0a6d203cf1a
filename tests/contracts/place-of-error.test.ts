import { expect, test } from 'vitest';
import { messageWithPlace, placeOfError } from '../../src/contracts/place-of-error.js';

function thrown(...frames: string[]): Error {
  const error = new RangeError('broken');
  error.stack = ['RangeError: broken', ...frames.map((frame) => `    at ${frame}`)].join('\n');
  return error;
}

test.each<[string, string[], string | undefined]>([
  ['in a method', ['Mine.act (/own/agent.ts:12:5)', 'Lane.run (/app/lane.js:3:1)'], 'agent.ts:12'],
  ['at the top', ['file:///own/agent.ts:7:9'], 'agent.ts:7'],
  ['awaited', ['fetch (/app/x.js:1:1)', 'async Mine.act (file:///own/agent.ts:12:5)'], 'agent.ts:12'],
  ['in a neighbour', ['help (/own/lib/help.ts:2:2)', 'Mine.act (/own/agent.ts:12:5)'], 'lib/help.ts:2'],
  ['in a package', ['parse (/own/node_modules/p/i.js:2:2)', 'Mine.act (/own/agent.ts:12:5)'], 'agent.ts:12'],
  ['elsewhere', ['Lane.run (/app/lane.js:3:1)', 'node:internal/process:1:1'], undefined],
])('an error that is thrown %s', (_where, frames, place) => {
  expect(placeOfError(thrown(...frames), '/own/agent.ts')).toBe(place);
});

test('the message has the place where there is one', () => {
  const error = thrown('Mine.act (/own/agent.ts:12:5)');
  expect(messageWithPlace(error, '/own/agent.ts')).toBe('broken (agent.ts:12)');
  expect(messageWithPlace(error, undefined)).toBe('broken');
  expect(messageWithPlace('a text', '/own/agent.ts')).toBe('a text (agent.ts)');
  expect(messageWithPlace(Object.create(null), '/own/agent.ts')).toMatch(/\(agent\.ts\)$/);
});
