import { isAsked } from '../../../contracts/incoming.js';
import { assertNotCancelled } from '../../../workflows/continuation.js';
import { receive } from '../../../workflows/receive.js';
import { continueAsNew, workflowInfo } from '../../../workflows/sdk.js';
import { assertHasParent } from '../../../workflows/started-rightly.js';
import type { IterationInput, IterationResult } from '../contracts.js';
import { IterationSession } from './iteration-session.js';
import { evolveControlSignal } from './messages.js';

/**
 * Runs one iteration of an evolution. Continues as new when its history grows long: finished steps are passed on and
 * not repeated.
 */
export async function iteration(input: IterationInput): Promise<IterationResult> {
  assertHasParent('evolve');
  const session = new IterationSession(input, workflowInfo().parent?.workflowId ?? '');
  receive(evolveControlSignal, isAsked, (control) => session.setControl(control));
  const done = await session.run();
  if (!session.isContinuing(done)) return session.result(done);
  assertNotCancelled();
  return continueAsNew<typeof iteration>(session.carriedInput());
}
