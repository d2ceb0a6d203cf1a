import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { IterationInput, IterationResult } from '../contracts/evolve.js';
import { isAsked } from '../contracts/incoming.js';
import { assertNotCancelled } from './continuation.js';
import { IterationSession } from './iteration-session.js';
import { evolveControlSignal } from './messages.js';
import { receive } from './receive.js';
import { assertHasParent } from './started-rightly.js';

/**
 * One iteration of an evolution. Continues as new when its history grows long: what was done is carried along, and
 * gone through again without being done.
 */
export async function iteration(input: IterationInput): Promise<IterationResult> {
  assertHasParent('evolve');
  const session = new IterationSession(input, workflowInfo().parent?.workflowId ?? '');
  receive(evolveControlSignal, isAsked, (control) => session.setControl(control));
  const done = await session.run();
  if (!session.carriesOn(done)) return session.result(done);
  assertNotCancelled();
  return continueAsNew<typeof iteration>(session.carriedInput());
}
