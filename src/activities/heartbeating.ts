import { Context } from '@temporalio/activity';
import { carryEnds, type EndNotes, noteEnd } from './crashes.js';

/** Milliseconds; the shortest heartbeat timeout of these activities is 10 s. */
const INTERVAL = 3000;

/**
 * Reports a sign of life while an activity works, and an end with a failure, which no crash has made.
 * @param notes what the next attempt finds should this one not come to its end, as it is then.
 */
export async function heartbeating<Value>(work: () => Promise<Value>, notes: EndNotes = {}): Promise<Value> {
  const context = Context.current();
  carryEnds(context, notes);
  const timer = setInterval(() => context.heartbeat(notes), INTERVAL);
  try {
    return await work();
  } catch (error) {
    noteEnd(context, notes);
    throw error;
  } finally {
    clearInterval(timer);
  }
}
