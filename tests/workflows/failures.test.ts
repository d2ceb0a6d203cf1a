import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure, RetryState } from '@temporalio/common';
import { expect, test } from 'vitest';
import {
  askAgain,
  costAtLimit,
  costOfFailure,
  describeError,
  fatalMessage,
  isFaultyReply,
} from '../../src/workflows/failures.js';

const wrapped = (cause: Error) =>
  new ActivityFailure(
    'an activity failed',
    'executeScaffold',
    '1',
    RetryState.NON_RETRYABLE_FAILURE,
    '',
    cause,
  );

test('a child that failed because an activity of it did tells what that one says', () => {
  const refused = ApplicationFailure.create({ type: 'FatalStorage', message: 'cannot write rows: EROFS' });
  const child = new ChildWorkflowFailure(
    undefined,
    { workflowId: 'run/s0', runId: 'execution' },
    'rollout',
    RetryState.NON_RETRYABLE_FAILURE,
    wrapped(refused),
  );
  expect(describeError(child)).toEqual({ type: 'FatalStorage', message: 'cannot write rows: EROFS' });
  expect(fatalMessage(child)).toBe('cannot write rows: EROFS');
});

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
  expect(costOfFailure(empty)).toEqual(cost);
  expect(isFaultyReply(empty)).toBe(true);
  expect([costAtLimit(empty), fatalMessage(empty), askAgain(empty)]).toEqual([null, null, null]);
  const other = wrapped(ApplicationFailure.create({ type: 'RewardError' }));
  expect(isFaultyReply(other)).toBe(false);
  expect(costOfFailure(other)).toMatchObject({ lm_calls: 0, cost_usd: 0 });
});

test('a request that failed says what it has cost, and whether it may be asked again', () => {
  const unrecorded = { requests: 1, usage: { input_tokens: 3, output_tokens: 4 }, cost_usd: 0.5 };
  const cost = { lm_calls: 0, usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: 0, unrecorded };
  const again = { failures: 2, crashes: 0, pause_ms: 2000 };
  const failure = { type: 'malformed_reply', nonRetryable: true };
  const first = wrapped(ApplicationFailure.create({ ...failure, details: [cost, again] }));
  expect([costOfFailure(first), askAgain(first), fatalMessage(first)]).toEqual([cost, again, null]);
  const last = wrapped(ApplicationFailure.create({ ...failure, details: [cost] }));
  expect([costOfFailure(last), askAgain(last)]).toEqual([cost, null]);
});
