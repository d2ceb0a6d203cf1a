import { expect, test } from 'vitest';
import type { CallRecord } from '../../src/contracts/language-model.js';
import { CallTally } from '../../src/statistics/call-figures.js';

const CALL = { usage: { input_tokens: 1, output_tokens: 2 }, cost_usd: 0.5, repeated: 1 } as CallRecord;
const { usage: _usage, ...WITHOUT_USAGE } = { ...CALL, cost_usd: null };

function figuresOf(calls: readonly CallRecord[]) {
  const tally = new CallTally();
  for (const call of calls) tally.addReply(call);
  return tally.figures(null);
}

test('the cost of calls is not known as soon as one price is not', () => {
  const one = { cut_off: 0, lm_calls: 1, lm_calls_repeated: 1, usage: CALL.usage, cost_usd: 0.5 };
  expect(figuresOf([CALL])).toEqual(one);
  const both = { ...one, lm_calls: 2, lm_calls_repeated: 2, cost_usd: null };
  expect(figuresOf([CALL, WITHOUT_USAGE])).toEqual(both);
});

test('a way of adapting requests is counted once a call', () => {
  const adapted = { ...CALL, adapted: ['sent no seed', 'sent no seed'] };
  expect(figuresOf([adapted, adapted, CALL]).adaptations).toEqual({ 'sent no seed': 2 });
});

test('models that answer in place of the usual one are counted, role by role', () => {
  const tally = new CallTally(({ purpose }) => purpose);
  const add = (model: string, fields: Partial<CallRecord> = {}) =>
    tally.addCall({ ...CALL, purpose: 'agent', model, ...fields });
  for (const purpose of ['user', 'grade'] as const) add(`${purpose}-2024-08-06`, { purpose });
  add('agent-2024-08-06');
  expect(tally.figures(null)).not.toHaveProperty('adaptations');
  add('agent-2024-08-06');
  add('small-8b');
  add('other judge', { purpose: 'grade' });
  add('agent', { context_full: 'no room' });
  expect(tally.figures(null).adaptations).toEqual({
    'small-8b answered, and not agent-2024-08-06 as elsewhere': 1,
  });
});

test('what no record holds is listed beside the figures, and rounded as they are', () => {
  const tally = new CallTally();
  tally.addCall({ ...CALL, cost_usd: 0.1 + 0.2 });
  tally.addCost({ lm_calls: 0, usage: { input_tokens: 5, output_tokens: 0 }, cost_usd: 0.1 });
  const unrecorded = { requests: 1, usage: { input_tokens: 3, output_tokens: 0 }, cost_usd: 0.1 + 0.2 };
  expect(tally.figures(unrecorded)).toMatchObject({
    usage: { input_tokens: 6, output_tokens: 2 },
    cost_usd: 0.4,
    unrecorded: { ...unrecorded, cost_usd: 0.3 },
  });
});
