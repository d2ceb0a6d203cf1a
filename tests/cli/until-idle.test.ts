import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { untilIdle } from '../../src/cli/dev.js';

function counting(...counts: (number | Error)[]) {
  const count = vi.fn(async (_query: string) => {
    const next = counts.length > 1 ? counts.shift() : counts[0];
    if (next instanceof Error) throw next;
    return { count: next };
  });
  const signal = new AbortController().signal;
  const client = { workflow: { count } } as never;
  return { count, idle: untilIdle(client, { taskQueue: 'team "a"', signal, interval: 1 }) };
}

test('only workflows of Reprise on the worker’s own queue keep it', async () => {
  const { count, idle } = counting(0);
  await idle;
  for (const [query] of count.mock.calls) {
    expect(query).toContain(`ExecutionStatus = 'Running'`);
    expect(query).toContain(String.raw`TaskQueue = "team \"a\""`);
    expect(query).toContain(`WorkflowType IN ('run', 'sweep', 'evolve',`);
  }
});

test('it is idle after three looks in a row, of which a server that is unreachable answers none', async () => {
  const { count, idle } = counting(0, 0, 2, 0, 0, new Error('away'), 0);
  await idle;
  expect(count).toHaveBeenCalledTimes(9);
});

test('one that is told to end looks no further', async () => {
  const count = vi.fn(async () => ({ count: 1 }));
  const control = new AbortController();
  const options = { taskQueue: 'reprise', signal: control.signal, interval: 60_000 };
  const idle = untilIdle({ workflow: { count } } as never, options);
  await sleep(1);
  control.abort();
  await idle;
});
