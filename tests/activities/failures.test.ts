import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { toFailure, withFailures } from '../../src/activities/failures.js';
import { FAILURE_TYPES } from '../../src/contracts/names.js';
import { LanguageModelError } from '../../src/language-models/errors.js';
import type { Unreachable } from '../../src/language-models/outage.js';
import { StorageError } from '../../src/storage/storage-error.js';
import { damagedFile, missingFile } from '../../src/storage/stored-file.js';

const logger = new DefaultLogger('ERROR', () => undefined);
const failureOf = (error: Error, attempt: number, isBeginning = false) =>
  new MockActivityEnvironment({ attempt }, { logger }).run(async () => toFailure(error, isBeginning));
const storageError = (remedy: { retryable: boolean; mendable?: boolean }) =>
  new StorageError({ message: 'said so', uri: 'memory', key: null, code: 'code', ...remedy });

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

const passes = { retryable: true };
const mendable = { retryable: false, mendable: true };
const fatal = { type: FAILURE_TYPES.fatalStorage, nonRetryable: true };
const again = { type: 'StorageError', nonRetryable: false };

test.each([
  ['passes by itself', passes, 1, false, { ...again, nextRetryDelay: undefined }],
  ['passes by itself, at the beginning', passes, 1, true, again],
  ['a person can mend', mendable, 12, false, { ...again, nextRetryDelay: undefined }],
  ['a person takes a while to mend', mendable, 13, false, { ...again, nextRetryDelay: 35_000 }],
  ['nobody mends for hours', mendable, 100, false, { ...again, nextRetryDelay: 300_000 }],
  ['a person can mend, at the beginning', mendable, 1, true, fatal],
  ['nobody can mend', { retryable: false }, 1, false, fatal],
] as const)('a store’s failure that %s', async (_name, remedy, attempt, isBeginning, failure) => {
  expect(await failureOf(storageError(remedy), attempt, isBeginning)).toMatchObject({
    message: 'said so',
    ...failure,
  });
});

test('a file that is gone is looked for a few moments, since it may be seen late; one that is damaged is not', async () => {
  const place = { uri: 'file:///results/mine' };
  const missing = missingFile(place, 'plan.json');
  for (const attempt of [1, 2]) {
    expect(await failureOf(missing, attempt)).toMatchObject({ ...again, nextRetryDelay: 1000 });
  }
  expect(await failureOf(missing, 3)).toMatchObject({ ...fatal, message: missing.message });
  expect(await failureOf(damagedFile(place, 'plan.json', 'it ends too early'), 1)).toMatchObject(fatal);
});

test('an experiment hears of a store that is unreachable for longer, and once that it is back', async () => {
  let isAway = true;
  const [told, heard]: [string[], (Unreachable | null)[]] = [[], []];
  const activities = withFailures(
    {
      writePart: async () => {
        if (isAway) throw storageError(mendable);
      },
    },
    {
      notify: (message) => void told.push(message),
      notices: {
        listener: (what) =>
          what === 'the store' ? (unreachable) => void heard.push(unreachable) : () => undefined,
      },
    },
  );
  const run = (attempt: number) =>
    new MockActivityEnvironment({ attempt }, { logger }).run(activities.writePart).catch(() => undefined);
  await run(1);
  expect([told, heard]).toEqual([['Waiting for the store: said so'], []]);
  await run(4);
  await run(5);
  expect(heard.map((unreachable) => unreachable?.message)).toEqual(['said so', 'said so']);
  isAway = false;
  await run(6);
  await run(1);
  expect(heard.slice(2)).toEqual([null]);
});
