import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { KINDS } from '../kinds/registry.js';

/** Milliseconds between two looks, and how many idle ones in a row end it: visibility lags by a moment. */
const LOOK_INTERVAL = 2000;
const IDLE_LOOKS = 3;

/** What a worker of a queue may have to do with. Others of the namespace are none of its concern, and may never end. */
function openOn(taskQueue: string): string {
  const types = KINDS.map(({ id }) => `'${id}'`);
  return `ExecutionStatus = 'Running' AND TaskQueue = ${JSON.stringify(taskQueue)} AND WorkflowType IN (${types.join(', ')})`;
}

/** Resolves when no workflow of Reprise has been open on a worker's queue for a few seconds. */
export async function untilIdle(
  client: Pick<Client, 'workflow'>,
  {
    taskQueue,
    signal,
    interval = LOOK_INTERVAL,
  }: { taskQueue: string; signal: AbortSignal; interval?: number },
): Promise<void> {
  for (let idle = 0; idle < IDLE_LOOKS && !signal.aborted; ) {
    await sleep(interval, undefined, { signal }).catch(() => undefined);
    const counted = await client.workflow.count(openOn(taskQueue)).catch(() => null);
    idle = counted !== null && counted.count === 0 ? idle + 1 : 0;
  }
}
