import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { inProgress, startedWith } from '../../src/workers/in-progress.js';
import { type Startable, startNamed } from '../../src/workers/start-named.js';

interface Found {
  status?: string;
  type?: string;
  encoding?: string;
  data?: string;
}

/** Of a server where one workflow is found, or none, or that does not answer. */
function clientOf(found: Found | Error): Client {
  const { status = 'RUNNING', type = 'run', encoding = 'json/plain', data } = found as Found;
  const payload = { metadata: { encoding: Buffer.from(encoding) }, data: data && Buffer.from(data) };
  const handle = {
    describe: async () => {
      if (found instanceof Error) throw found;
      return { status: { name: status }, type };
    },
    fetchHistory: async () => ({
      events: [{ workflowExecutionStartedEventAttributes: { input: { payloads: [payload] } } }],
    }),
  };
  return {
    workflow: { getHandle: () => handle },
    options: { namespace: 'default' },
    workflowService: { describeNamespace: async () => ({}) },
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
  const config = { name: 'mine', seed: 3, output: { results_dir: '/nowhere' } };
  const asked: Startable<typeof config> = {
    type: 'run',
    config,
    kind: {
      isOne: (value: unknown) => typeof value === 'object' && value !== null && 'seed' in value,
      difference: (earlier, { seed }) => (earlier.seed === seed ? null : 'seed'),
    },
    read: () => undefined,
    summary: '',
  };

  test.each<[string, Found]>([
    ['has the same config', { data: JSON.stringify(config) }],
    ['was started with the path of one', { data: '{"config_path": "mine.yaml"}' }],
    ['does not tell its config', { encoding: 'binary/encrypted', data: 'x' }],
  ])('is attached to where it %s', async (_, found) => {
    expect(await startNamed(clientOf(found), asked, 'queue')).toMatchObject({ id: 'mine', how: 'attached' });
  });

  test.each<[string, Found, string]>([
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
