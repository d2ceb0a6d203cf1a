import { CancellationScope, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import { isControlState } from '../contracts/incoming.js';
import type { ShardInput, ShardResult } from '../contracts/run.js';
import { assertNotCancelled } from './continuation.js';
import { controlSignal, shardProgressQuery } from './messages.js';
import { receive } from './receive.js';
import { ShardSession } from './shard-session.js';
import { assertHasParent } from './started-rightly.js';

/**
 * A share of a run's lanes, in a bounded pool. Continues as new when its history grows long: every lane is handed
 * back between two steps and goes on from its state in the next execution. It ends in the same way where the run itself
 * continues as new, and tells where it is to go on.
 */
export async function shard(input: ShardInput): Promise<ShardResult> {
  assertHasParent('run');
  const session = new ShardSession(input, workflowInfo().parent?.workflowId ?? '');
  receive(controlSignal, isControlState, (control) => session.control(control));
  setHandler(shardProgressQuery, () => session.totals);
  try {
    await session.run();
    await session.flush();
    if (session.carriesOn()) assertNotCancelled();
  } catch (error) {
    // What is finished is kept, also when the run is cancelled.
    await CancellationScope.nonCancellable(() => session.flush(true));
    throw error;
  }
  const { totals, finished, fatal } = session;
  if (!session.carriesOn()) return { totals, finished, fatal };
  if (!session.handsOver()) await continueAsNew<typeof shard>(session.carriedInput());
  return { totals, finished, fatal, carried: session.carried() };
}
