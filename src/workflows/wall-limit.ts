import { condition } from '@temporalio/workflow';
import type { Limits } from '../contracts/run.js';

/**
 * Tells an experiment that its limit is met when its time is up.
 * @param startedAt milliseconds since 1970
 * @param who has worked, for the message
 * @returns what stops the clock.
 */
export function watchTheClock(
  { limits, spent_wall_seconds }: { limits: Limits; spent_wall_seconds: number },
  startedAt: number,
  who: string,
  control: { exhaust(why: string): void },
): () => void {
  const limit = limits.max_wall_seconds;
  if (limit === null) return () => undefined;
  let over = false;
  const left = (limit - spent_wall_seconds) * 1000 - (Date.now() - startedAt);
  condition(() => over, Math.max(Math.ceil(left), 1))
    .then((ended) => {
      if (!ended) control.exhaust(`limits.max_wall_seconds: the ${who} has worked for ${limit} seconds`);
    })
    .catch(() => undefined);
  return () => {
    over = true;
  };
}
