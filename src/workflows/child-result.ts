import {
  CancellationScope,
  type ChildWorkflowHandle,
  getExternalWorkflowHandle,
  type Workflow,
  type WorkflowResultType,
} from './sdk.js';

/**
 * Returns the result of a child workflow. A cancellation of the parent reaches only the execution that was started; a
 * child that has continued as new since is cancelled by its workflow ID.
 */
export async function childResult<Child extends Workflow>({
  workflowId,
  result,
}: Pick<ChildWorkflowHandle<Child>, 'workflowId' | 'result'>): Promise<WorkflowResultType<Child>> {
  let ended = false;
  CancellationScope.current().cancelRequested.catch(() => {
    if (ended) return;
    CancellationScope.nonCancellable(() => getExternalWorkflowHandle(workflowId).cancel()).catch(
      // The child has ended meanwhile, or is already cancelled.
      () => undefined,
    );
  });
  try {
    return await result();
  } finally {
    ended = true;
  }
}
