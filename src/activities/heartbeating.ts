import { Context } from '@temporalio/activity';

/** Milliseconds; the shortest heartbeat timeout of these activities is 10 s. */
const INTERVAL = 3000;

/**
 * Reports a sign of life while an activity works.
 * @param notes what the next attempt finds should this one not come to its end, as it is then.
 */
export async function heartbeating<Value>(work: () => Promise<Value>, notes?: object): Promise<Value> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(notes), INTERVAL);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
