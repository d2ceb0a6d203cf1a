import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { KINDS } from '../kinds/registry.js';

/** Milliseconds between two checks, and the number of idle ones that end the wait: visibility lags a little. */
const LOOK_INTERVAL = 2000;
const IDLE_LOOKS = 3;

/** Returns the query of a queue's open workflows. Others of the namespace are ignored, and may never end. */
function openOn(taskQueue: string): string {
  const types = KINDS.map(({ id }) => `'${id}'`);
  return `ExecutionStatus = 'Running' AND TaskQueue = ${JSON.stringify(taskQueue)} AND WorkflowType IN (${types.join(', ')})`;
}

/** Waits until no workflow of Reprise has been open on a worker's queue for a few seconds. */
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
