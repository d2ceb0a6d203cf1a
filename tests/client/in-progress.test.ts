import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { plannedIn, startedWith } from '../../src/client/in-progress.js';

const payload = (value: unknown) => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(value)),
});
const started = (...input: unknown[]) => ({
  workflowExecutionStartedEventAttributes: { input: { payloads: input.map(payload) } },
});
const answered = (result: unknown) => ({
  activityTaskCompletedEventAttributes: { result: { payloads: [payload(result)] } },
});

/** A server that holds one history, and gives a page at a time. */
function clientOf(events: object[], asked: number[] = []): Client {
  const getWorkflowExecutionHistory = async (request: {
    maximumPageSize: number;
    nextPageToken?: Uint8Array;
  }) => {
    const from = request.nextPageToken?.[0] ?? 0;
    const upTo = Math.min(from + request.maximumPageSize, events.length);
    asked.push(from);
    return {
      history: { events: events.slice(from, upTo) },
      nextPageToken: upTo < events.length ? Uint8Array.of(upTo) : new Uint8Array(),
    };
  };
  return {
    options: { namespace: 'default' },
    workflowService: { getWorkflowExecutionHistory },
  } as unknown as Client;
}

const plan = { artifacts: 'file:///results/mine' };

test.each<[string, object[], string | null]>([
  ['what its first activity has answered', [started({}), {}, answered(plan), answered({})], plan.artifacts],
  [
    'that after many signals',
    [started({}), ...Array.from({ length: 120 }, () => ({})), answered(plan)],
    plan.artifacts,
  ],
  ['what the execution before carried on', [started({}, { plan }), {}], plan.artifacts],
  ['nothing where it ended before', [started({}), {}], null],
  ['nothing where another activity answered first', [started({}), answered({ x: 1 }), answered(plan)], null],
])('the plan of an experiment is %s', async (_what, events, artifacts) => {
  expect((await plannedIn(clientOf(events), 'mine'))?.artifacts ?? null).toBe(artifacts);
});

test('for the input of a workflow its first event is enough', async () => {
  const asked: number[] = [];
  const events = [started({ config_path: 'a.yaml' }), ...Array.from({ length: 20 }, () => ({}))];
  expect(await startedWith(clientOf(events, asked), 'mine')).toEqual({ config_path: 'a.yaml' });
  expect(asked).toEqual([0]);
});
