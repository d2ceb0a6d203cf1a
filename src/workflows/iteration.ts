import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { IterationInput, IterationResult } from '../contracts/evolve.js';
import type { Asked } from '../contracts/run.js';
import { assertNotCancelled } from './continuation.js';
import { IterationSession } from './iteration-session.js';
import { evolveControlSignal } from './messages.js';

/**
 * One iteration of an evolution. Continues as new when its history grows long: what was done is carried along, and
 * gone through again without being done.
 */
export async function iteration(input: IterationInput): Promise<IterationResult> {
  const session = new IterationSession(input, workflowInfo().parent?.workflowId ?? '');
  setHandler(evolveControlSignal, (control: Asked) => session.setControl(control));
  const done = await session.run();
  if (!session.carriesOn(done)) return session.result(done);
  assertNotCancelled();
  return continueAsNew<typeof iteration>(session.carriedInput());
}
