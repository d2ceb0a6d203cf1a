import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { countingKills } from '../../src/activities/counting-kills.js';
import { KilledError, SandboxError } from '../../src/sandboxes/sandbox.js';

/** What an attempt fails with, and what it leaves for the next one. */
async function attempt(error: Error, number: number, left?: object) {
  const logger = new DefaultLogger('ERROR', () => undefined);
  const environment = new MockActivityEnvironment({ attempt: number, heartbeatDetails: left }, { logger });
  let notes = left;
  environment.on('heartbeat', (details: object) => {
    notes = structuredClone(details);
  });
  const work = environment.run(() =>
    countingKills(async () => {
      throw error;
    }),
  );
  return { failure: await work.then(null, (thrown: unknown) => thrown), notes };
}

const killed = new KilledError('killed from outside', true);
const unreachable = new SandboxError('the daemon is unreachable', true);

test('a program that is killed from outside is run again, but not for ever: it may kill itself', async () => {
  const first = await attempt(killed, 1);
  expect(first.failure).toBe(killed);
  const second = await attempt(killed, 2, first.notes);
  expect(second.failure).toBe(killed);
  const third = await attempt(killed, 3, second.notes);
  expect(third.failure).toBeInstanceOf(ApplicationFailure);
  expect(third.failure).toMatchObject({ nonRetryable: true, type: 'killed', message: 'killed from outside' });
});

test('attempts that ended for another reason do not count', async () => {
  let left: object | undefined;
  for (let number = 1; number <= 50; number++) {
    const { failure, notes } = await attempt(unreachable, number, left);
    expect(failure).toBe(unreachable);
    left = notes;
  }
  expect((await attempt(killed, 51, left)).failure).toBe(killed);
});
