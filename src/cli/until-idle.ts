import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';

/** Milliseconds between two looks, and how many idle ones in a row end it: visibility lags by a moment. */
const LOOK_INTERVAL = 2000;
const IDLE_LOOKS = 3;

/** Resolves when no workflow of Reprise has been open for a few seconds. */
export async function untilIdle(client: Client, signal: AbortSignal): Promise<void> {
  for (let idle = 0; idle < IDLE_LOOKS && !signal.aborted; ) {
    await sleep(LOOK_INTERVAL, undefined, { signal }).catch(() => undefined);
    const counted = await client.workflow.count("ExecutionStatus = 'Running'").catch(() => null);
    idle = counted !== null && counted.count === 0 ? idle + 1 : 0;
  }
}
