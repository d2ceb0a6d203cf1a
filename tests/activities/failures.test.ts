import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { toFailure } from '../../src/activities/failures.js';
import { FAILURE_TYPES } from '../../src/contracts/names.js';
import { LanguageModelError } from '../../src/language-models/errors.js';

const logger = new DefaultLogger('ERROR', () => undefined);
const failureOf = (error: Error, attempt: number) =>
  new MockActivityEnvironment({ attempt }, { logger }).run(async () => toFailure(error));

const modelError = (
  kind: 'overloaded' | 'cancelled' | 'bad_request' | 'authentication',
  retryAfterMs?: number,
) =>
  new LanguageModelError(kind, 'said so', {
    provider: 'openai',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

test.each([
  [
    'passes',
    modelError('overloaded'),
    1,
    { type: 'overloaded', nonRetryable: false, nextRetryDelay: undefined },
  ],
  ['asks to wait', modelError('overloaded', 5000), 1, { nextRetryDelay: 5000 }],
  ['asks to wait less than is usual', modelError('overloaded', 1), 4, { nextRetryDelay: 8000 }],
  ['is about one request', modelError('bad_request'), 1, { type: 'bad_request', nonRetryable: true }],
  [
    'is about every request',
    modelError('authentication'),
    1,
    { type: FAILURE_TYPES.fatalProvider, nonRetryable: true },
  ],
] as const)('a model’s failure outside of a call that %s', async (_name, error, attempt, failure) => {
  expect(await failureOf(error, attempt)).toMatchObject({ message: 'said so', ...failure });
});

test('a model that was not waited for, because the worker ends, is asked by the next one', async () => {
  expect(await failureOf(modelError('cancelled'), 1)).toBeInstanceOf(CancelledFailure);
});
