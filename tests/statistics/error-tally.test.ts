import { expect, test } from 'vitest';
import { errorLines, errorText } from '../../src/statistics/error-lines.js';
import { ErrorTally } from '../../src/statistics/error-tally.js';

test('counts each type, and keeps what was said first of it', () => {
  const tally = new ErrorTally();
  tally.add({ type: 'timeout', message: 'first' });
  tally.add({ type: 'bad_request', message: 'HTTP 400' });
  tally.add({ type: 'timeout', message: 'second' });
  expect([tally.total, tally.counts(), tally.messages()]).toEqual([
    3,
    { bad_request: 1, timeout: 2 },
    { error_messages: { bad_request: 'HTTP 400', timeout: 'first' } },
  ]);
});

test('nothing is said where there was no error', () => {
  expect([new ErrorTally().counts(), new ErrorTally().messages()]).toEqual([{}, {}]);
});

test('a type may have any name, and a message any length', () => {
  const tally = new ErrorTally();
  tally.add({ type: 'constructor', message: 'x'.repeat(5000) });
  expect(tally.counts()).toEqual({ constructor: 1 });
  expect(tally.messages().error_messages?.constructor).toBe(`${'x'.repeat(400)}…`);
});

test('each type is one line, whatever the provider says', () => {
  const lines = errorLines({ bad_request: 2, toString: 1 }, { bad_request: 'no\n such\u001b[31m model' });
  expect(lines.map(errorText)).toEqual(['2 bad_request: no such␛[31m model', '1 toString']);
});
