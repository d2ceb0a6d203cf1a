import type { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { listExperiments } from '../../src/client/list.js';

type Row = [id: string, type: string, status: string, phase?: string];

/** A server with these executions, the newest first, and the queries that it was sent. */
function serverWith(...rows: Row[]) {
  const queries: string[] = [];
  const list = async function* ({ query }: { query: string }) {
    queries.push(query);
    for (const [workflowId, type, name, phase] of rows) {
      const pairs = phase === undefined ? [] : [{ key: { name: 'ReprisePhase' }, value: phase }];
      yield {
        workflowId,
        type,
        status: { name },
        startTime: new Date(0),
        typedSearchAttributes: { getAll: () => pairs },
      };
    }
  };
  return { client: { workflow: { list } } as unknown as Client, queries };
}

const HERE: Row[] = [
  ['new', 'run', 'RUNNING', 'paused'],
  ['again', 'judge', 'COMPLETED', 'done'],
  ['again', 'judge', 'CANCELLED', 'cancelled'],
  ['long', 'run', 'RUNNING'],
  ['long', 'run', 'CONTINUED_AS_NEW'],
  ['old', 'evolve', 'TIMED_OUT'],
];

describe('the experiments of a server', () => {
  test('are listed once each, by their newest execution', async () => {
    const { client } = serverWith(...HERE);
    const listed = await listExperiments(client);
    expect(listed.map(({ id, status, phase }) => [id, status, phase])).toEqual([
      ['new', 'running', 'paused'],
      ['again', 'completed', 'done'],
      ['long', 'running', ''],
      ['old', 'timed_out', ''],
    ]);
    expect(listed[0]).toEqual({
      id: 'new',
      kind: 'run',
      status: 'running',
      phase: 'paused',
      model: '',
      started: '1970-01-01T00:00:00.000Z',
    });
  });

  test.each([
    [{ status: 'running' }, ['new', 'long']],
    // An earlier execution of it was cancelled.
    [{ status: 'cancelled' }, []],
    [{ status: 'completed' }, ['again']],
    [{ limit: 2 }, ['new', 'again']],
    [{ status: 'running', limit: 1 }, ['new']],
    [{ limit: 0 }, []],
  ] as const)('of %j', async (options, ids) => {
    const listed = await listExperiments(serverWith(...HERE).client, options);
    expect(listed.map(({ id }) => id)).toEqual(ids);
  });

  test('are asked for by their kind, and only the running ones where they are wanted', async () => {
    const { client, queries } = serverWith();
    await listExperiments(client, { kind: 'agent-eval', status: 'running' });
    await listExperiments(client, { kind: 'judge' });
    expect(queries).toEqual([
      "(WorkflowType = 'agent-eval') AND ExecutionStatus = 'Running'",
      "(WorkflowType = 'judge')",
    ]);
    expect(await listExperiments(client, { kind: 'none' })).toEqual([]);
    expect(queries).toHaveLength(2);
  });
});
