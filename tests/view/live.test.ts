import type { Client } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { Live } from '../../src/view/live.js';
import { RUN } from '../support/experiments.js';

test('an experiment whose worker gives no answer in time goes on being one in progress', async () => {
  vi.useFakeTimers();
  let answers = true;
  let listed = true;
  const info = {
    workflowId: 'mine',
    type: 'run',
    status: { name: 'RUNNING' },
    startTime: new Date(0),
    typedSearchAttributes: { getAll: () => [] },
  };
  const client = {
    workflow: {
      list: async function* () {
        if (listed) yield info;
      },
      getHandle: () => ({
        query: async () => {
          if (!answers) throw new Error('busy');
          return RUN;
        },
      }),
    },
  };
  const live = new (class extends Live {
    override client = async () => client as unknown as Client;
  })(true);
  const inProgress = async () => {
    await vi.advanceTimersByTimeAsync(3000);
    return [...(await live.inProgress()).keys()];
  };
  expect(await inProgress()).toEqual([RUN.artifacts]);
  answers = false;
  expect(await inProgress()).toEqual([RUN.artifacts]);
  listed = false;
  expect(await inProgress()).toEqual([]);
  vi.useRealTimers();
});
