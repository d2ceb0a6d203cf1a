import { expect, test } from 'vitest';
import { errorLines, errorText } from '../../src/statistics/error-lines.js';
import { ErrorTally } from '../../src/statistics/error-tally.js';

function tallyOf(...messages: string[]): ErrorTally {
  const tally = new ErrorTally();
  for (const message of messages) tally.add({ type: 'bad_request', message });
  return tally;
}

test('counts each type, and each cause of it with what was said first', () => {
  const tally = tallyOf('the key is old', 'the prompt is long', 'the prompt is long');
  tally.add({ type: 'timeout', message: 'no answer' });
  expect([tally.total, tally.counts(), tally.causes()]).toEqual([
    4,
    { bad_request: 3, timeout: 1 },
    {
      error_causes: [
        { type: 'bad_request', message: 'the prompt is long', count: 2 },
        { type: 'bad_request', message: 'the key is old', count: 1 },
        { type: 'timeout', message: 'no answer', count: 1 },
      ],
    },
  ]);
});

test('nothing is said where there was no error', () => {
  expect([new ErrorTally().counts(), new ErrorTally().causes()]).toEqual([{}, {}]);
});

test.each([
  ['numbers', 'maximum is 200 tokens, yours 203', 'maximum is 200 tokens, yours 1017'],
  ['names of requests', 'failed (request id: req_011CbHNe)', 'failed (request id: req_77aa01)'],
  ['how often it was tried', 'no answer (gave up after 3 attempts)', 'no answer (gave up after 8 attempts)'],
  ['a quoted prompt', `no rule for "${'a'.repeat(50)}"`, `no rule for "${'b'.repeat(90)}"`],
])('%s make no other cause', (_name, one, other) => {
  expect(tallyOf(one, other).causes().error_causes).toEqual([
    { type: 'bad_request', message: one, count: 2 },
  ]);
});

test.each([
  ['finish reasons', 'empty (finish reason: stop)', 'empty (finish reason: unknown)'],
  ['fields', "'temperature' is not supported", "'top_p' is not supported"],
])('%s do', (_name, one, other) => {
  expect(tallyOf(one, other).causes().error_causes).toHaveLength(2);
});

test('a server that never says the same twice does not fill the metrics', () => {
  const words = Array.from({ length: 30 }, (_, index) =>
    String.fromCharCode(97 + (index % 26)).repeat(index + 1),
  );
  const tally = tallyOf(...words);
  const { error_causes = [] } = tally.causes();
  expect(error_causes).toHaveLength(10);
  expect(errorLines(tally.counts(), error_causes).at(-1)).toEqual({
    type: 'bad_request',
    count: 20,
    message: 'of other causes',
  });
});

test('a type may have any name, and a message any length', () => {
  const tally = new ErrorTally();
  tally.add({ type: 'constructor', message: 'x'.repeat(5000) });
  expect(tally.counts()).toEqual({ constructor: 1 });
  expect(tally.causes().error_causes?.[0]?.message).toBe(`${'x'.repeat(400)}…`);
});

test('each cause is one line, whatever the provider says', () => {
  const causes = [{ type: 'bad_request', message: 'no\n such\u001b[31m model', count: 2 }];
  const lines = errorLines({ bad_request: 2, toString: 1 }, causes);
  expect(lines.map(errorText)).toEqual(['2 bad_request: no such␛[31m model', '1 toString']);
});
