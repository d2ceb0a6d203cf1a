import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { IterationInput, IterationResult } from '../contracts/evolve.js';
import type { Asked } from '../contracts/run.js';
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
  if (session.carriesOn(done)) await continueAsNew<typeof iteration>(session.carriedInput());
  return session.result(done);
}
