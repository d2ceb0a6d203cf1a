import { setTimeout as sleep } from 'node:timers/promises';
import { pauseAfter } from '../activities/pause-after.js';
import { LanguageModelError } from '../language-models/errors.js';
import { finalFailure } from './failures.js';

/** Hears how the tries go. */
export interface Tries {
  failed(error: unknown): void;
  /** Another one is about to begin. @throws where it may not. */
  again(): Promise<void>;
}

/**
 * Asks a model again until it answers, with the pauses of a durable run.
 * @throws CallFailedError where it failed for good, FatalRunError where every other call would fail as well.
 */
export async function untilAnswered<Value>(
  maxAttempts: number,
  ask: () => Promise<Value>,
  tries?: Tries,
): Promise<{ value: Value; failures: number }> {
  for (let failures = 0; ; ) {
    try {
      return { value: await ask(), failures };
    } catch (error) {
      failures += 1;
      const retryable = error instanceof LanguageModelError && error.retryable;
      tries?.failed(error);
      if (!retryable || failures >= maxAttempts) throw finalFailure(error, failures);
      await sleep(pauseAfter(failures, error.retryAfterMs));
      await tries?.again();
    }
  }
}
