import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, it, vi } from 'vitest';
import { startExperiment } from '../../src/client/start.js';
import { resolveConfig } from '../../src/config/load.js';
import { readEvolveData, writeEvolveData } from '../../src/kinds/evolve/activities/evolve-data.js';
import { evolveDomain } from '../../src/kinds/evolve/activities/evolve-domain.js';
import type { EvolveConfig } from '../../src/kinds/evolve/schema.js';
import { KINDS } from '../../src/kinds/registry.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { openStore } from '../../src/storage/open.js';
import { artifactKeys } from '../../src/storage/paths.js';
import { writeRetry } from '../../src/storage/retry-marker.js';
import { writeStoredConfig } from '../../src/storage/stored-config.js';
import { StateFolder, stateFolder } from '../../src/workers/state-folder.js';
import { LEAST, resolved, sectionsOf, withField } from '../support/kinds.js';

// A thread runs JavaScript, so code of users is tried where it is called.
vi.mock('../../src/user-code/code-runner.js', async (original) => {
  const real = await original<typeof import('../../src/user-code/code-runner.js')>();
  return { ...real, commandCode: () => real.localCode() };
});

const LOADED = await Promise.all(KINDS.map(async ({ id, kind }) => ({ id, kind: await kind() })));

/** A server on which one workflow is in progress, or none; notes what is sent to it. */
class FakeServer {
  running: { type: string; input: unknown } | null = null;
  /** Another command starts it when this one does. */
  isOvertaken = false;
  readonly started: string[] = [];
  readonly signals: [string, unknown][] = [];

  get client(): Client {
    return {
      options: { namespace: 'default' },
      workflow: {
        getHandle: (workflowId: string) => ({
          workflowId,
          describe: async () => {
            if (this.running === null) throw new WorkflowNotFoundError('none', workflowId, undefined);
            return { status: { name: 'RUNNING' }, type: this.running.type };
          },
          signal: async (name: string, value: unknown) => void this.signals.push([name, value]),
        }),
        start: async (type: string, { workflowId, args }: { workflowId: string; args: unknown[] }) => {
          if (this.isOvertaken) {
            this.running = { type, input: args[0] };
            throw new WorkflowExecutionAlreadyStartedError('there', workflowId, type);
          }
          this.started.push(workflowId);
        },
      },
      workflowService: {
        describeNamespace: async () => ({}),
        getWorkflowExecutionHistory: async () => ({ history: { events: [this.firstEvent()] } }),
      },
    } as unknown as Client;
  }

  private firstEvent(): object {
    const data = Buffer.from(JSON.stringify(this.running?.input));
    const payload = { metadata: { encoding: Buffer.from('json/plain') }, data };
    return { workflowExecutionStartedEventAttributes: { input: { payloads: [payload] } } };
  }
}

describe.each(LOADED)('an experiment of the kind $id', ({ id: kindId, kind }) => {
  const { config: configs } = kind;
  const { concurrency: atOnce } = configs.pace;
  // A sweep has the models of its cells.
  const [model = 'config.lm'] = Object.keys(configs.modelsOf(resolved(configs, LEAST[kindId])));

  function world() {
    const value = { ...LEAST[kindId], ...sectionsOf(kindId) };
    const resolve = (raw: object) => resolveConfig(configs, raw, { source: 'it', folder: '/' });
    const config = resolve(value);
    const configWith = (field: string, other: unknown) => resolve(withField(value, field, other));
    const server = new FakeServer();
    const start = (asked: object = config, only?: string) =>
      startExperiment(server.client, kind, asked, { taskQueue: 'queue', ...(only && { only }) });
    const [id] = kind.ids(config) as Iterable<string> & [string];
    /** Makes one in progress, with an input. */
    const inProgress = (input: unknown) => {
      server.running = { type: configs.id, input: JSON.parse(JSON.stringify(input)) };
    };
    /** Leaves the folder of one that was prepared. */
    async function prepared(of: object = config): Promise<ArtifactStore> {
      const { store } = await kind.find(id, of);
      await writeStoredConfig(store, of);
      if (kindId !== 'evolve') return store;
      const evolution = of as EvolveConfig;
      await writeEvolveData(
        store,
        await readEvolveData(evolution, await evolveDomain(evolution, {}), openStore),
      );
      return store;
    }
    return { config, configWith, server, start, id, inProgress, prepared };
  }

  it('is started where there is none', async () => {
    const { start, server, id } = world();
    const nothing = { changed: [], left: null, done: null, concurrency: null, running: null };
    expect(await start()).toMatchObject({ id, how: 'started', ...nothing });
    expect(server.started).toEqual([id]);
  });

  it('is what this machine’s workers are allowed, with the server that somebody has typed', async () => {
    const { start, configWith } = world();
    const server = `http://127.0.0.1:${1024 + Math.floor(Math.random() * 60_000)}`;
    const typed = new StateFolder(stateFolder(process.env), 'default');
    expect(typed.has({ use: 'server', what: server })).toBe(false);
    await start(configWith(model, { model: 'openai/x', base_url: `${server}/v1` }));
    expect(typed.has({ use: 'server', what: server })).toBe(true);
  });

  it('is continued where one was prepared and is not finished', async () => {
    const { start, prepared, id, configWith } = world();
    await prepared();
    expect(await start()).toMatchObject({ id, how: 'continued', left: null });
    // At another pace, too.
    expect(await start(configWith('limits.max_lm_calls', 7))).toMatchObject({ id, how: 'continued' });
  });

  it('is begun anew beside an unfinished one that asks for something else, which is told', async () => {
    const { start, prepared, configWith } = world();
    await prepared();
    const field = `${model}.temperature`;
    const { how, left } = await start(configWith(field, 0.25));
    expect({ how, differs: left?.differs }).toEqual({ how: 'started', differs: field });
    expect(left?.id).not.toBe('');
  });

  it('is attached to where it is in progress, whether its input is a config or names one', async () => {
    const { start, server, id, inProgress, config } = world();
    for (const input of [config, { config_path: 'it.yaml' }, { encrypted: 'x' }]) {
      inProgress(input);
      expect(await start()).toMatchObject({ id, how: 'attached', concurrency: null });
    }
    expect({ started: server.started, signals: server.signals }).toEqual({ started: [], signals: [] });
  });

  it('is given another concurrency in progress', async () => {
    const { start, server, inProgress, config, configWith } = world();
    inProgress(config);
    expect(await start(configWith(atOnce, 3))).toMatchObject({ how: 'attached', concurrency: 3 });
    expect(server.signals).toEqual([['setConcurrency', 3]]);
  });

  it('holds in progress what else it was begun with', async () => {
    const { start, id, inProgress, config, configWith } = world();
    inProgress(config);
    await expect(start(configWith('limits.max_lm_calls', 7))).rejects.toThrow(
      `limits.max_lm_calls: ${id} is in progress with none, not 7, and continues so. Stop it with: reprise stop ${id}`,
    );
  });

  it('is none that is in progress with another config', async () => {
    const { start, inProgress, config, configWith } = world();
    inProgress(config);
    const field = `${model}.temperature`;
    await expect(start(configWith(field, 0.25))).rejects.toMatchObject({
      field,
      message: expect.stringContaining(`is in progress with another config (${field} differs). Wait for it`),
    });
  });

  it('is none of another kind in progress', async () => {
    const { start, server, id } = world();
    server.running = { type: 'other', input: {} };
    await expect(start()).rejects.toThrow(`'${id}' is the name of another workflow in progress (other)`);
  });

  it('is attached to where another command was faster by a moment', async () => {
    const { start, server } = world();
    server.isOvertaken = true;
    expect(await start()).toMatchObject({ how: 'attached' });
  });
});

describe.each(LOADED.filter(({ kind }) => kind.retry?.levels === 1))(
  'a finished experiment of the kind $id',
  ({ id: kindId, kind }) => {
    async function finished() {
      const config = resolveConfig(
        kind.config,
        { ...LEAST[kindId], ...sectionsOf(kindId) },
        { source: 'it', folder: '/' },
      );
      const server = new FakeServer();
      const { store } = await kind.find('mine', config);
      await writeStoredConfig(store, config);
      await store.write(artifactKeys.metrics, JSON.stringify({ kind: kindId, status: 'done', errors: 2 }));
      const start = (only?: string) =>
        startExperiment(server.client, kind, config, { taskQueue: 'queue', ...(only && { only }) });
      return { server, store, start };
    }

    it('stays as it is: another is begun beside it, with its errors told', async () => {
      const { start, store } = await finished();
      expect(await start()).toMatchObject({
        id: 'mine-2',
        how: 'started',
        done: { id: 'mine', artifacts: store.uri, metrics: { errors: 2 } },
      });
    });

    it('continues in its folder once its errors are asked again, and in no other', async () => {
      const { start, store, server } = await finished();
      await expect(start('mine')).rejects.toThrow('mine cannot be continued: it is done');
      await writeRetry(store, { types: null, at: '2026-01-01T00:00:00.000Z' });
      expect(await start('mine')).toMatchObject({ id: 'mine', how: 'continued', done: null });
      expect(server.started).toEqual(['mine']);
    });
  },
);

it('an evolution that is finished stays as it is, too', async () => {
  const { kind } = LOADED.find(({ id }) => id === 'evolve') as (typeof LOADED)[number];
  const value = { ...LEAST.evolve, ...sectionsOf('evolve') };
  const config = resolveConfig(kind.config, value, { source: 'it', folder: '/' }) as EvolveConfig;
  const { store } = await kind.find('mine', config);
  await writeStoredConfig(store, config);
  await writeEvolveData(store, await readEvolveData(config, await evolveDomain(config, {}), openStore));
  await store.write(
    artifactKeys.metrics,
    JSON.stringify({ kind: 'evolve', status: 'done', num_iterations: 5 }),
  );
  const { client } = new FakeServer();
  expect(await startExperiment(client, kind, config, { taskQueue: 'queue' })).toMatchObject({
    how: 'started',
    done: { id: store.uri.split('/').at(-1), metrics: { num_iterations: 5 } },
  });
});
