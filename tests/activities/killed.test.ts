import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { toFailure } from '../../src/activities/failures.js';
import { KilledError, SandboxError } from '../../src/sandboxes/sandbox.js';

const logger = new DefaultLogger('ERROR', () => undefined);
const failureOf = (error: Error, attempt: number) =>
  new MockActivityEnvironment({ attempt }, { logger }).run(async () => toFailure(error));

test('a program that is killed from outside is run again, but not for ever: it may kill itself', async () => {
  const killed = new KilledError('killed from outside', true);
  expect(await failureOf(killed, 2)).toBe(killed);
  const last = await failureOf(killed, 3);
  expect(last).toBeInstanceOf(ApplicationFailure);
  expect(last).toMatchObject({ nonRetryable: true, type: 'killed', message: 'killed from outside' });
  const away = new SandboxError('the daemon is away', true);
  expect(await failureOf(away, 100)).toBe(away);
});
