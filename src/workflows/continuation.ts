import { allHandlersFinished, CancellationScope, CancelledFailure, condition } from './sdk.js';

/**
 * Checks for a cancellation before a workflow continues as new: the next execution is not cancelled with this one, and
 * the cancellation would be lost.
 * @throws CancelledFailure if this execution was cancelled and nothing that it waited for has thrown that.
 */
export function assertNotCancelled(): void {
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('the workflow was cancelled');
}

/**
 * Waits until all messages are answered, so that the workflow can continue as new.
 * @throws CancelledFailure as {@link assertNotCancelled} does.
 */
export async function readyToContinue(): Promise<void> {
  await condition(allHandlersFinished);
  assertNotCancelled();
}
