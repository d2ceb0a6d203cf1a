import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { paceChange } from '../../src/config/pacing.js';
import { openStore } from '../../src/storage/open.js';
import { artifactKeys } from '../../src/storage/paths.js';
import { writeRetry } from '../../src/storage/retry-marker.js';
import { inProgress, startedWith } from '../../src/workers/in-progress.js';
import { type Startable, startNamed } from '../../src/workers/start-named.js';
import { folderWith } from '../support/configs.js';

interface Found {
  status?: string;
  type?: string;
  encoding?: string;
  data?: string;
}

/** What was sent to it. */
const signals: [string, unknown][] = [];

/** Of a server where one workflow is found, or none, or that does not answer. */
function clientOf(found: Found | Error): Client {
  const { status = 'RUNNING', type = 'run', encoding = 'json/plain', data } = found as Found;
  const payload = { metadata: { encoding: Buffer.from(encoding) }, data: data && Buffer.from(data) };
  const handle = {
    describe: async () => {
      if (found instanceof Error) throw found;
      return { status: { name: status }, type };
    },
    signal: async (name: string, value: unknown) => void signals.push([name, value]),
    workflowId: 'mine',
  };
  const history = {
    events: [{ workflowExecutionStartedEventAttributes: { input: { payloads: [payload] } } }],
  };
  return {
    workflow: { getHandle: () => handle },
    options: { namespace: 'default' },
    workflowService: {
      describeNamespace: async () => ({}),
      getWorkflowExecutionHistory: async () => ({ history }),
    },
  } as unknown as Client;
}

const NOT_FOUND = new WorkflowNotFoundError('no such workflow', 'mine', undefined);

describe('the workflow in progress under a name', () => {
  test('is found, with the input that it was started with', async () => {
    const client = clientOf({ data: '{"seed": 3}' });
    expect(await inProgress(client, 'mine')).toMatchObject({ type: 'run' });
    expect(await startedWith(client, 'mine')).toEqual({ seed: 3 });
  });

  test.each<[string, Found | Error]>([
    ['there is none', NOT_FOUND],
    ['it has ended', { status: 'COMPLETED' }],
  ])('is none where %s', async (_, found) => {
    expect(await inProgress(clientOf(found), 'mine')).toBeNull();
  });

  test('is not none where the server does not answer', async () => {
    await expect(inProgress(clientOf(new Error('away')), 'mine')).rejects.toThrow('away');
  });

  test.each<[string, Found]>([
    ['is encrypted', { encoding: 'binary/encrypted', data: 'x' }],
    ['is missing', {}],
  ])('has an input that is not known where it %s', async (_, found) => {
    expect(await startedWith(clientOf(found), 'mine')).toBeNull();
  });
});

describe('what is to be started, and is in progress already', () => {
  const config = { name: 'mine', seed: 3, concurrency: 4, output: { results_dir: '/nowhere' } };
  let sameRows = true;
  const asked: Startable<typeof config> = {
    type: 'run',
    config,
    kind: {
      isOne: (value: unknown) => typeof value === 'object' && value !== null && 'seed' in value,
      difference: (earlier, { seed }) => (earlier.seed === seed ? null : 'seed'),
      pace: (earlier, now) => paceChange(earlier, now, { concurrency: 'concurrency', free: [] }),
    },
    read: () => undefined,
    holdsRows: async () => sameRows,
    code: () => ({ paths: [], folders: [] }),
    summary: '',
  };

  test.each<[string, Found]>([
    ['has the same config', { data: JSON.stringify(config) }],
    ['was started with the path of one', { data: '{"config_path": "mine.yaml"}' }],
    ['does not tell its config', { encoding: 'binary/encrypted', data: 'x' }],
  ])('is attached to where it %s', async (_, found) => {
    expect(await startNamed(clientOf(found), asked, 'queue')).toMatchObject({ id: 'mine', how: 'attached' });
  });

  test('is given another concurrency', async () => {
    signals.length = 0;
    const found = { data: JSON.stringify({ ...config, concurrency: 2 }) };
    expect(await startNamed(clientOf(found), asked, 'queue')).toMatchObject({
      how: 'attached',
      concurrency: 4,
    });
    expect(signals).toEqual([['setConcurrency', 4]]);
  });

  test('is refused with other rows', async () => {
    sameRows = false;
    const found = clientOf({ data: JSON.stringify(config) });
    await expect(startNamed(found, asked, 'queue')).rejects.toThrow(
      'dataset: the run mine is in progress with other rows than are there now',
    );
    sameRows = true;
  });

  test.each<[string, Found, string]>([
    [
      'with other limits, which hold as it was begun',
      { data: JSON.stringify({ ...config, limits: { max_lm_calls: 60 } }) },
      'limits: mine is in progress with {"max_lm_calls":60}, not none, and goes on so. Stop it with: reprise stop mine',
    ],
    ['with another config', { data: '{"seed": 4}' }, 'in progress with another config (seed differs)'],
    [
      'of another type',
      { type: 'evolve' },
      "name: 'mine' is the name of another workflow in progress (evolve)",
    ],
  ])('is refused %s', async (_, found, message) => {
    await expect(startNamed(clientOf(found), asked, 'queue')).rejects.toThrow(message);
  });
});

describe('what is to be started where one of its name is done', () => {
  const kind = {
    isOne: () => true,
    difference: () => null,
    pace: () => ({ concurrency: null, fixed: null }),
  };
  const begun: string[] = [];
  const client = {
    ...clientOf(NOT_FOUND),
    workflow: {
      ...clientOf(NOT_FOUND).workflow,
      start: async (_type: string, { workflowId }: { workflowId: string }) => void begun.push(workflowId),
    },
  } as unknown as Client;

  async function doneBefore() {
    begun.length = 0;
    const results_dir = folderWith();
    const done = openStore(results_dir).within('mine');
    await done.write(artifactKeys.config, 'name: mine\n');
    await done.write(artifactKeys.metrics, JSON.stringify({ kind: 'run', status: 'done', errors: 2 }));
    const asked = {
      type: 'run',
      config: { name: 'mine', output: { results_dir } },
      kind,
      read: () => undefined,
      holdsRows: async () => true,
      code: () => ({ paths: [], folders: [] }),
      summary: '',
    } as unknown as Startable<{ name: string; output: { results_dir: string } }>;
    return { asked, done };
  }

  test('is begun anew beside it, with its errors told', async () => {
    const { asked, done } = await doneBefore();
    expect(await startNamed(client, asked, 'queue')).toMatchObject({
      id: 'mine-2',
      how: 'new',
      done: { id: 'mine', artifacts: done.uri, metrics: { errors: 2 } },
    });
  });

  test('goes on in its folder once its errors are asked again, and in no other', async () => {
    const { asked, done } = await doneBefore();
    const there = { ...asked, folder: 'mine' };
    await expect(startNamed(client, there, 'queue')).rejects.toThrow('mine cannot be continued: it is done');
    await writeRetry(done, { types: null, at: '2026-01-01T00:00:00.000Z' });
    expect(await startNamed(client, there, 'queue')).toMatchObject({
      id: 'mine',
      how: 'continued',
      done: null,
    });
    expect(begun).toEqual(['mine']);
  });
});
