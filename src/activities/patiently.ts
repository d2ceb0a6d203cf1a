import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { OnUnreachable } from '../language-models/outage.js';
import { StorageError } from '../storage/storage-error.js';
import type { WorkerDependencies } from './dependencies.js';

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 15_000;
/**
 * Pause from which experiments are notified of an unusable store; a signal for each short failure would fill their
 * history.
 */
const HEARD_FROM_PAUSE = 2000;

/** Name of the store in notices to experiments. */
export const THE_STORE = 'the store';

export interface Patience {
  log: Logger;
  notify(message: string): void;
  /** Called when the store becomes unusable, and with null when it is usable again. */
  onUnreachable: OnUnreachable;
  /** The action, as in `waiting to …`. */
  what: string;
  signal: AbortSignal;
  /** Called at the first failure. */
  onFailure?(): void;
}

/**
 * Repeats a write until the store accepts it: a full disk may be freed, a server may come back, a person may correct a
 * permission. A permanent error or a cancellation ends it.
 */
export async function patiently<Value>(
  action: () => Promise<Value>,
  { log, notify, onUnreachable, what, signal, onFailure }: Patience,
): Promise<Value> {
  const since = Date.now();
  let hasNotified = false;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      const value = await action();
      if (hasNotified) onUnreachable(null);
      return value;
    } catch (error) {
      if (!(error instanceof StorageError) || !error.mayPass || signal.aborted) throw error;
      const { message } = error;
      if (pause === FIRST_PAUSE) onFailure?.();
      log.warn({ error: message }, `waiting to ${what}`);
      notify(`Waiting to ${what}: ${message}`);
      if (pause >= HEARD_FROM_PAUSE) {
        onUnreachable({ since, message });
        hasNotified = true;
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Keeps a paid result of the current activity pending until the store accepts it. */
export function held<Value>(
  action: () => Promise<Value>,
  {
    dependencies: { notify, notices },
    ...patience
  }: Pick<Patience, 'log' | 'what' | 'onFailure'> & {
    dependencies: Pick<WorkerDependencies, 'notify' | 'notices'>;
  },
): Promise<Value> {
  const signal = Context.current().cancellationSignal;
  return patiently(action, { ...patience, notify, onUnreachable: notices.listener(THE_STORE), signal });
}
