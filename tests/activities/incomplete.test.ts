import { expect, test } from 'vitest';
import { orIncomplete } from '../../src/activities/incomplete.js';
import type { RunStatus } from '../../src/contracts/results.js';

const ended = (status: RunStatus, status_message: string | null = null) => ({ status, status_message });
const recorded = (errors: Record<string, number>) => ({ planned: 400, recorded: 400, errors });

test.each([
  'rate_limited',
  'overloaded',
  'server',
  'timeout',
  'connection',
  'malformed_reply',
  'reply_too_long',
  'unknown',
  'InfrastructureError',
  'SandboxError',
  'StorageError',
  'WorkerCrash',
])('an experiment with a row of the type %s is incomplete', (type) => {
  expect(orIncomplete(ended('done'), recorded({ [type]: 1 }), 'sample')).toEqual({
    status: 'incomplete',
    status_message: `1 sample is missing (1 ${type}): the same command continues with what is missing`,
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
  expect(orIncomplete(ended('done'), recorded({ [type]: 3 }), 'sample')).toEqual(ended('done'));
});

test('what is missing is counted by its types, and what would come again is not', () => {
  const errors = { EmptyReply: 4, overloaded: 7, timeout: 2 };
  expect(orIncomplete(ended('done'), recorded(errors), 'rollout', '').status_message).toBe(
    '9 rollouts are missing (7 overloaded, 2 timeout)',
  );
});

test('what left nothing is missing, too', () => {
  const rows = { planned: 400, recorded: 272, errors: { EmptyReply: 4 } };
  expect(orIncomplete(ended('done'), rows, 'sample')).toMatchObject({
    status: 'incomplete',
    status_message:
      '128 samples are missing (128 without a record): the same command continues with what is missing',
  });
  expect(
    orIncomplete(ended('done'), { ...rows, errors: { overloaded: 2 } }, 'sample').status_message,
  ).toMatch('130 samples are missing (2 overloaded, 128 without a record)');
});

test.each<RunStatus>(['limit_reached', 'stopped', 'failed', 'cancelled'])('%s stays what it is', (status) => {
  expect(
    orIncomplete(ended(status, 'why'), { ...recorded({ overloaded: 7 }), planned: 500 }, 'sample'),
  ).toEqual(ended(status, 'why'));
});
