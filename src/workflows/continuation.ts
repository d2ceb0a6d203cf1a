import { allHandlersFinished, CancellationScope, CancelledFailure, condition } from './sdk.js';

/**
 * Called where a workflow is about to continue as new: the next execution is not cancelled with this one, and nobody would
 * hear of it any more.
 * @throws CancelledFailure where this execution was cancelled and nothing that it waited for said so.
 */
export function assertNotCancelled(): void {
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('the workflow was cancelled');
}

/**
 * Waits until whoever asked for something has an answer, so that the workflow can continue as new.
 * @throws CancelledFailure as {@link assertNotCancelled} does.
 */
export async function readyToContinue(): Promise<void> {
  await condition(allHandlersFinished);
  assertNotCancelled();
}
