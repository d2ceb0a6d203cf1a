const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;

/**
 * Returns the milliseconds to wait after this number of failures of a call: 1 s, doubled each time, at most a minute.
 * The same as the retry policy of `workflows/activity-options.ts`. A provider's Retry-After makes it longer, never
 * shorter: a provider that sends `1` and means a minute would use up `lm.max_attempts` in seconds.
 */
export function pauseAfter(failures: number, retryAfterMs = 0): number {
  return Math.max(Math.min(FIRST_PAUSE * 2 ** Math.max(failures - 1, 0), LONGEST_PAUSE), retryAfterMs);
}
