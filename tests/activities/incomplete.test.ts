import { expect, test } from 'vitest';
import { orIncomplete } from '../../src/activities/incomplete.js';
import type { RunStatus } from '../../src/contracts/results.js';

const ended = (status: RunStatus, status_message: string | null = null) => ({ status, status_message });

test.each([
  'rate_limited',
  'overloaded',
  'server',
  'timeout',
  'connection',
  'malformed_reply',
  'unknown',
  'InfrastructureError',
  'SandboxError',
  'StorageError',
])('an experiment with a row of the type %s is incomplete', (type) => {
  expect(orIncomplete(ended('done'), { [type]: 1 }, 'sample')).toEqual({
    status: 'incomplete',
    status_message: `1 sample is missing (1 ${type}): the same command goes on with what is missing`,
  });
});

test.each([
  'EmptyReply',
  'EnvironmentError',
  'GradingLimit',
  'bad_request',
  'no_such_row',
  'no_such_rule',
  'RewardError',
  'GoalError',
  'SeedError',
  'MalformedVerdict',
  'constructor',
])('an error of the type %s would only come again', (type) => {
  expect(orIncomplete(ended('done'), { [type]: 3 }, 'sample')).toEqual(ended('done'));
});

test('what is missing is counted by its types, and what would come again is not', () => {
  const errors = { EmptyReply: 4, overloaded: 7, timeout: 2 };
  expect(orIncomplete(ended('done'), errors, 'rollout', '').status_message).toBe(
    '9 rollouts are missing (7 overloaded, 2 timeout)',
  );
});

test.each<RunStatus>(['limit_reached', 'stopped', 'failed', 'cancelled'])('%s stays what it is', (status) => {
  expect(orIncomplete(ended(status, 'why'), { overloaded: 7 }, 'sample')).toEqual(ended(status, 'why'));
});
