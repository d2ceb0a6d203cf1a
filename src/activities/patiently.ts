import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { HearAway } from '../language-models/outage.js';
import { StorageError } from '../storage/storage-error.js';
import type { WorkerDependencies } from './dependencies.js';

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 15_000;
/** Experiments hear of a store that cannot be used for longer than that; a signal for each hiccup would fill their history. */
const HEARD_FROM_PAUSE = 2000;

/** What experiments wait for. */
export const THE_STORE = 'the store';

export interface Patience {
  log: Logger;
  notify(message: string): void;
  /** Hears of a store that cannot be used. */
  hear: HearAway;
  /** What is being done, as in `waiting to …`. */
  what: string;
  signal: AbortSignal;
  /** Hears of the first failure. */
  onFailure?(): void;
}

/**
 * Repeats a write until the store takes it: a full disk may be freed, a server may come back, a person may correct a
 * permission. What nothing can mend, or a cancellation, ends it.
 */
export async function patiently<Value>(
  action: () => Promise<Value>,
  { log, notify, hear, what, signal, onFailure }: Patience,
): Promise<Value> {
  const since = Date.now();
  let hasTold = false;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      const value = await action();
      if (hasTold) hear(null);
      return value;
    } catch (error) {
      if (!(error instanceof StorageError) || !error.mayPass || signal.aborted) throw error;
      const { message } = error;
      if (pause === FIRST_PAUSE) onFailure?.();
      log.warn({ error: message }, `waiting to ${what}`);
      notify(`Waiting to ${what}: ${message}`);
      if (pause >= HEARD_FROM_PAUSE) {
        hear({ since, message });
        hasTold = true;
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Holds what the activity of this context has paid for until the store takes it. */
export function held<Value>(
  action: () => Promise<Value>,
  {
    dependencies: { notify, news },
    ...patience
  }: Pick<Patience, 'log' | 'what' | 'onFailure'> & {
    dependencies: Pick<WorkerDependencies, 'notify' | 'news'>;
  },
): Promise<Value> {
  const signal = Context.current().cancellationSignal;
  return patiently(action, { ...patience, notify, hear: news.listener(THE_STORE), signal });
}
