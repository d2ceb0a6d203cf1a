import { Context } from '@temporalio/activity';

/** Milliseconds; the shortest heartbeat timeout of these activities is 30 s. */
const INTERVAL = 5000;

/** Reports a sign of life while an activity works. Local activities have none to give. */
export async function heartbeating<Value>(work: () => Promise<Value>): Promise<Value> {
  const context = Context.current();
  if (context.info.isLocal) return work();
  const timer = setInterval(() => context.heartbeat(), INTERVAL);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
