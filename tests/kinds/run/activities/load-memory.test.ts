import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { createLoadMemory } from '../../../../src/kinds/run/activities/memory-activities.js';
import type { RunContexts } from '../../../../src/kinds/run/activities/run-context.js';
import { configOf } from '../../../support/configs.js';

test('a memory that takes long to load shows that its worker lives', async () => {
  const environment = new MockActivityEnvironment(
    {},
    { logger: new DefaultLogger('ERROR', () => undefined) },
  );
  const beaten = new Promise<string>((resolve) => environment.on('heartbeat', () => resolve('beaten')));
  // An activity without a sign of life for as long as its heartbeat timeout is given to another worker.
  const loadedMemory = () => Promise.race([beaten, sleep(8000, 'silent', { ref: false })]);
  const runs = {
    get: async () => ({ config: configOf({}), loadedMemory }),
  } as unknown as RunContexts;
  expect(await environment.run(createLoadMemory(runs), { run: 'run' })).toBe('beaten');
}, 10_000);
