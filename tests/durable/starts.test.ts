import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startExperiment } from '../../src/client/start.js';
import { configOf } from '../../src/config/load.js';
import { KINDS } from '../../src/kinds/registry.js';
import { openStore } from '../../src/storage/open.js';
import { LEAST, sectionsOf, withField } from '../support/kinds.js';
import { type OwnServer, startServerFor } from '../support/own-server.js';
import { Workplace } from '../support/workplace.js';

// A thread runs JavaScript, so code of users is tried where it is called.
vi.mock('../../src/user-code/code-runner.js', async (original) => {
  const real = await original<typeof import('../../src/user-code/code-runner.js')>();
  return { ...real, commandCode: () => real.localCode() };
});

const QUEUE = 'nobody-works-here';
const LOADED = await Promise.all(KINDS.map(async ({ id, kind }) => ({ id, kind: await kind() })));

/** On a real server; no worker is needed to start, to find and to refuse. */
describe('starting', () => {
  let place: Workplace;
  let server: OwnServer;
  let client: Client;

  beforeAll(async () => {
    place = await Workplace.make();
    server = await startServerFor(place, []);
    client = await place.client();
  });

  afterAll(async () => {
    await place.dispose();
    await server.stop();
  });

  describe.each(LOADED)('an experiment of the kind $id', ({ id: kindId, kind }) => {
    const { concurrency } = kind.config.pace;
    const start = (config: object) => startExperiment(client, kind, config, { taskQueue: QUEUE });
    let number = 0;

    /** The config of an experiment of its own, and one with another value for a field. */
    async function asked() {
      number += 1;
      const value = {
        ...LEAST[kindId],
        ...sectionsOf(kindId),
        ...(kindId !== 'judge' && { name: `${kindId}: ${number}` }),
      };
      const of = (raw: object) => configOf(kind.config, raw, 'by-id');
      return {
        config: await of(value),
        with: (field: string, other: unknown) => of(withField(value, field, other)),
      };
    }

    it('hands over the whole config, and finds the one in progress', async () => {
      const { config, with: other } = await asked();
      const { id, handle, how } = await start(config);
      expect(how).toBe('started');
      const { type, status, taskQueue } = await handle.describe();
      expect({ type, status: status.name, taskQueue }).toEqual({
        type: kind.config.id,
        status: 'RUNNING',
        taskQueue: QUEUE,
      });
      const { events } = await handle.fetchHistory();
      const payload = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
      expect(JSON.parse(Buffer.from(payload?.data ?? []).toString())).toEqual(
        JSON.parse(JSON.stringify(config)),
      );

      const again = await start(await other(concurrency, 3));
      expect(again).toMatchObject({ id, how: 'attached', concurrency: 3 });
      const limited = start(await other('limits.max_lm_calls', 5));
      await expect(limited).rejects.toMatchObject({ field: 'limits.max_lm_calls' });
      await expect(limited).rejects.toThrow('is in progress with none, not 5');
      await handle.terminate();
      expect((await start(config)).how).toBe('started');
    });

    it('of two commands at once starts one, and the other one finds it', async () => {
      const { config } = await asked();
      const both = await Promise.all([start(config), start(config)]);
      expect(both.map(({ how }) => how).sort()).toEqual(['attached', 'started']);
    });

    it('refuses the name of something else in progress', async () => {
      const { config } = await asked();
      const [workflowId] = kind.ids(config) as Iterable<string> & [string];
      await client.workflow.start('else', { workflowId, taskQueue: QUEUE, args: [{}] });
      await expect(start(config)).rejects.toMatchObject({ name: 'InvalidInputError', field: 'name' });
    });
  });

  describe('an evolution', () => {
    const { kind } = LOADED.find(({ id }) => id === 'evolve') as (typeof LOADED)[number];
    const start = (config: object) => startExperiment(client, kind, config, { taskQueue: QUEUE });
    const asked = (name: string, sections: object = {}) =>
      configOf(kind.config, { ...LEAST.evolve, name, ...sections }, name);

    it('in progress goes as far as it was begun with, which is told', async () => {
      await start(await asked('far'));
      const further = await start(await asked('far', { evolution: { num_iterations: 9 } }));
      expect(further).toMatchObject({ how: 'attached', running: { evolution: { num_iterations: 5 } } });
    });

    it('that is a fork is told from its origin, and from another fork', async () => {
      const store = openStore(place.path('origin'));
      await store.write('config.yaml', JSON.stringify(await asked('origin')));
      for (const iteration of [0, 1]) await store.write(`state/${iteration}.json`, '{}');
      const fork = (at_iteration: number) =>
        asked('forked', { fork: { experiment: store.uri, at_iteration } });
      expect((await start(await fork(1))).how).toBe('started');
      expect((await start(await fork(1))).how).toBe('attached');
      await expect(start(await fork(0))).rejects.toMatchObject({ field: 'fork.at_iteration' });
      await expect(start(await asked('forked'))).rejects.toMatchObject({ field: 'fork' });
    });
  });
});
