import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common';
import { expect, test } from 'vitest';
import { costAtLimit, costOfEmptyReply, fatalMessage } from '../../src/workflows/failures.js';

const wrapped = (cause: Error) =>
  new ActivityFailure(
    'an activity failed',
    'executeScaffold',
    '1',
    RetryState.NON_RETRYABLE_FAILURE,
    '',
    cause,
  );

test('a step that met a limit says what it has cost, and is no fault of the experiment', () => {
  const cost = { lm_calls: 2, usage: { input_tokens: 12, output_tokens: 8 }, cost_usd: 0.5 };
  const met = ApplicationFailure.create({ type: 'LimitReached', nonRetryable: true, details: [cost] });
  expect(costAtLimit(wrapped(met))).toEqual(cost);
  expect(fatalMessage(wrapped(met))).toBeNull();
  const refused = ApplicationFailure.create({ type: 'FatalProvider', details: [cost] });
  expect(costAtLimit(wrapped(refused))).toBeNull();
  expect(costAtLimit(new Error('another'))).toBeNull();
});

test('an empty reply says what it has cost, and ends nothing but its rollout', () => {
  const cost = { lm_calls: 1, usage: { input_tokens: 6, output_tokens: 0 }, cost_usd: null };
  const empty = wrapped(
    ApplicationFailure.create({ type: 'EmptyReply', nonRetryable: true, details: [cost] }),
  );
  expect(costOfEmptyReply(empty)).toEqual(cost);
  expect([costAtLimit(empty), fatalMessage(empty)]).toEqual([null, null]);
  expect(costOfEmptyReply(wrapped(ApplicationFailure.create({ type: 'RewardError' })))).toBeNull();
});
