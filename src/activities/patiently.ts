import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { StorageError } from '../storage/storage-error.js';

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 15_000;

interface Patience {
  log: Logger;
  notify(message: string): void;
  /** What is being done, as in `waiting to …`. */
  what: string;
  signal: AbortSignal;
}

/**
 * Repeats a write until the store takes it: a full disk may be freed, a server may come back. A store that refuses
 * for good, or a cancellation, ends it.
 */
export async function patiently<Value>(
  action: () => Promise<Value>,
  { log, notify, what, signal }: Patience,
): Promise<Value> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof StorageError) || !error.retryable || signal.aborted) throw error;
      log.warn({ error: error.message }, `waiting to ${what}`);
      notify(`Waiting to ${what}: ${error.message}`);
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Holds what an activity has paid for until the store takes it. */
export function held<Value>(
  action: () => Promise<Value>,
  patience: Omit<Patience, 'signal'>,
): Promise<Value> {
  return patiently(action, { ...patience, signal: Context.current().cancellationSignal });
}
