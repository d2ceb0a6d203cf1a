import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AskedEvolution, evolveConfigOf } from '../../src/activities/evolve/evolve-config.js';
import { openStore } from '../../src/storage/open.js';
import { startEvolve } from '../../src/workers/start-evolve.js';
import { MINIMAL_EVOLUTION } from '../config/evolve-support.js';
import { type OwnServer, startServerFor } from '../support/own-server.js';
import { Workplace } from '../support/workplace.js';

const QUEUE = 'nobody-works-here';

/** On a real server; no worker is needed to start, to find and to refuse. */
describe('starting an evolution', () => {
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

  const asked = (name: string, sections: Record<string, unknown> = {}): Promise<AskedEvolution> =>
    evolveConfigOf({ ...MINIMAL_EVOLUTION, name, ...sections }, name, (address) => openStore(address));

  const start = ({ config, fork }: AskedEvolution) => startEvolve(client, config, { taskQueue: QUEUE, fork });

  /** An experiment with a finished iteration, to fork from. */
  async function origin(): Promise<string> {
    const store = openStore(place.path('origin'));
    await store.write('config.yaml', JSON.stringify((await asked('origin')).config));
    for (const iteration of [0, 1]) await store.write(`state/${iteration}.json`, '{}');
    return store.uri;
  }

  it('names the workflow by the experiment, and hands over the whole config', async () => {
    const first = await asked('fit: for a folder');
    const { id, handle, how, iterations } = await start(first);
    expect({ id, how, iterations }).toEqual({ id: 'fit-for-a-folder', how: 'started', iterations: null });
    const { type, status, taskQueue } = await handle.describe();
    expect({ type, status: status.name, taskQueue }).toEqual({
      type: 'evolve',
      status: 'RUNNING',
      taskQueue: QUEUE,
    });
    const { events } = await handle.fetchHistory();
    const payload = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
    expect(JSON.parse(Buffer.from(payload?.data ?? []).toString())).toEqual(
      JSON.parse(JSON.stringify(first.config)),
    );
  });

  it('finds the one in progress, and gives it another pace; its limits hold as it was begun', async () => {
    expect((await start(await asked('same'))).how).toBe('started');
    const again = await start(await asked('same', { evolution: { concurrency: 3 } }));
    expect(again).toMatchObject({ id: 'same', how: 'attached', iterations: null, concurrency: 3 });
    const limited = start(await asked('same', { limits: { max_lm_calls: 5 } }));
    await expect(limited).rejects.toMatchObject({ field: 'limits.max_lm_calls' });
    await expect(limited).rejects.toThrow('is in progress with none, not 5');
    const further = await start(await asked('same', { evolution: { num_iterations: 9 } }));
    expect(further).toMatchObject({ how: 'attached', iterations: 5 });
  });

  it('refuses another config under a name in progress, and says which field differs', async () => {
    await start(await asked('taken'));
    const other = start(await asked('taken', { seed: 4 }));
    await expect(other).rejects.toMatchObject({ name: 'InvalidInputError', field: 'seed' });
    await expect(other).rejects.toThrow('--experiment-name');
  });

  it('tells a fork from its origin, and one fork from another', async () => {
    const experiment = await origin();
    const fork = (at_iteration: number) => asked('forked', { fork: { experiment, at_iteration } });
    expect((await start(await fork(1))).how).toBe('started');
    expect((await start(await fork(1))).how).toBe('attached');
    for (const other of [await fork(0), await asked('forked')]) {
      await expect(start(other)).rejects.toMatchObject({ name: 'InvalidInputError', field: 'fork' });
    }
  });

  it('refuses the name of a run in progress', async () => {
    await client.workflow.start('run', { workflowId: 'a-run', taskQueue: QUEUE, args: [{}] });
    await expect(start(await asked('a-run'))).rejects.toMatchObject({
      name: 'InvalidInputError',
      field: 'name',
    });
  });

  it('attaches to one that was started by its config’s path', async () => {
    const args = [{ config_path: '/somewhere/evolve.yaml' }];
    await client.workflow.start('evolve', { workflowId: 'by-path', taskQueue: QUEUE, args });
    expect(await start(await asked('by-path'))).toMatchObject({ how: 'attached', iterations: null });
  });

  it('starts anew once the one before has ended, in whatever way', async () => {
    const first = await start(await asked('ended'));
    await first.handle.terminate();
    expect((await start(await asked('ended', { seed: 4 }))).how).toBe('started');
  });

  it('of two commands at once one starts it and the other one finds it', async () => {
    const both = await Promise.all([start(await asked('race')), start(await asked('race'))]);
    expect(both.map(({ how }) => how).sort()).toEqual(['attached', 'started']);
  });
});
