import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_TASK_QUEUE } from '../../src/contracts/names.js';
import { takeFromDeadWorkers } from '../../src/workers/dead-workers.js';
import { namespaceIdOf } from '../../src/workers/permissions.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { sumsConfig, until, Workplace } from '../support/workplace.js';

describe('what a dead worker was working on', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai');
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  /** The activities of an experiment that workers have begun: type, attempt and worker. */
  async function begun(workflowId: string) {
    const { workflowService } = await place.client();
    const described = await workflowService.describeWorkflowExecution({
      namespace: 'default',
      execution: { workflowId },
    });
    return (described.pendingActivities ?? [])
      .filter(({ lastStartedTime }) => lastStartedTime != null)
      .map(({ activityType, attempt, lastWorkerIdentity }) => ({
        type: activityType?.name,
        attempt,
        worker: lastWorkerIdentity?.split('/')[1],
      }));
  }

  it.each([
    ['call', 'generate'],
    ['unit', 'runUnits'],
  ])(
    'is taken from it by the next one, and not from one that stands still, at grain %s',
    async (grain, type) => {
      const name = `taken-${grain}`;
      const config = sumsConfig(provider.baseUrl, 6, { name, runtime: { grain, concurrency: 3 } });
      await place.write(`${name}.yaml`, config);
      let release = (): void => undefined;
      provider.held = new Promise((resolve) => {
        release = resolve;
      });
      const still = await place.worker();
      const { calls } = provider.statistics;
      const address = { TEMPORAL_ADDRESS: await place.address() };
      expect((await place.reprise(['run', `${name}.yaml`, '--detach'], address)).code).toBe(0);
      await until('all lanes ask', () => provider.statistics.calls === calls + 3);
      still.process.kill('SIGSTOP');
      const before = await begun(name);
      expect(before.length).toBeGreaterThan(0);
      expect(before.every((one) => one.type === type && one.worker === String(still.process.pid))).toBe(true);

      // As a worker does before it takes tasks. One that starts on a busy machine may be later than the server.
      const client = await place.client();
      const namespaceId = await namespaceIdOf(client);
      const take = () =>
        takeFromDeadWorkers({ client, namespace: 'default', namespaceId, taskQueue: DEFAULT_TASK_QUEUE });
      await take();
      expect(await begun(name)).toEqual(before);
      await place.kill(still);
      await take();
      release();
      provider.held = undefined;
      const next = await place.worker();
      await client.workflow.getHandle(name).result();
      const { events } = await client.workflow.getHandle(name).fetchHistory();
      const again = (events ?? []).flatMap(({ activityTaskStartedEventAttributes: started }) =>
        started && (started.attempt ?? 1) > 1 ? [started] : [],
      );
      expect(again.map(({ lastFailure }) => lastFailure?.message)).toEqual(
        before.map(() => expect.stringMatching(new RegExp(`its worker has died: .*/${still.process.pid}/`))),
      );
      const { status, correct } = await place.metrics(name);
      expect({ status, correct }).toEqual({ status: 'done', correct: 6 });
      next.process.kill('SIGTERM');
      await next.done;
    },
  );
});
