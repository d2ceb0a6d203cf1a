import { Context } from '@temporalio/activity';

/** Milliseconds; the shortest heartbeat timeout of these activities is 30 s. */
const INTERVAL = 5000;

/** Reports a sign of life while an activity works. */
export async function heartbeating<Value>(work: () => Promise<Value>): Promise<Value> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), INTERVAL);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
