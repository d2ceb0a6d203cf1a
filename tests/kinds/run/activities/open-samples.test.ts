import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, test, vi } from 'vitest';
import type { Task } from '../../../../src/contracts/environment.js';
import { createEnvironmentActivities } from '../../../../src/kinds/run/activities/environments.js';
import { RunContexts } from '../../../../src/kinds/run/activities/run-context.js';
import type { Playable } from '../../../../src/kinds/run/environment-code.js';
import type { OpenedSample } from '../../../../src/runtime/ports.js';
import { temporaryStore } from '../../../activities/support.js';
import { dependencies, preparedRun } from '../../../activities/worker-support.js';
import { configOf } from '../../../support/configs.js';

afterEach(() => {
  vi.useRealTimers();
});

/** Opens ten samples from the first on, with environments that begin like this; answers what was opened. */
async function opened(begin: Playable['begin'], runtime: object = {}): Promise<OpenedSample[]> {
  const config = configOf({
    runtime,
    dataset: { items: Array.from({ length: 10 }, () => ({ question: '?' })) },
  });
  const run = await preparedRun(await temporaryStore(), config);
  const playable: Playable = { begin, step: () => Promise.reject(new Error('no step is taken')) };
  const runs = new RunContexts(dependencies(), () => ({
    playable: () => playable,
    checked: (_source: unknown, tasks: AsyncIterable<Task>) => tasks,
  }));
  const { openSamples } = createEnvironmentActivities(runs);
  const input = { run, from: 0, stride: 1, count: 10 };
  return (await new MockActivityEnvironment().run(openSamples, input)) as OpenedSample[];
}

test('opens what was asked for', async () => {
  const rows = await opened(async () => ({ state: { turn: 0 }, obs: 'go' }));
  expect(rows.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(rows[0]).toEqual({ index: 0, id: 's0', state: { turn: 0 }, obs: 'go' });
});

test('opens the epochs of a sample one after another, and numbers their trials on', async () => {
  const rows = await opened(async () => ({ state: null, obs: 'go' }), { epochs: 3, num_trials: 2 });
  expect(rows.map(({ index, id, first_trial }) => [index, id, first_trial])).toEqual(
    [
      ...[0, 3, 6, 9].flatMap((index) => [
        [index, `s${index / 3}`, undefined],
        [index + 1, `s${index / 3}`, 2],
        [index + 2, `s${index / 3}`, 4],
      ]),
    ].slice(0, 10),
  );
});

test('opens fewer where their observations are large, and one always', async () => {
  const ofSize = (bytes: number) => opened(async () => ({ state: {}, obs: 'x'.repeat(bytes) }));
  expect(await ofSize(100_000)).toHaveLength(2);
  expect(await ofSize(1_000_000)).toHaveLength(1);
});

test('opens fewer where each takes its time, so that one activity does not grow over its own', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const error = {
    type: 'EnvironmentTimeout',
    message: 'reset took more than 25 s (dataset.env_timeout_sec)',
  };
  const rows = await opened(async () => {
    vi.setSystemTime(Date.now() + 25_000);
    return { error };
  });
  expect(rows).toHaveLength(3);
  expect(rows[2]).toMatchObject({ state: null, problem: error });
});
