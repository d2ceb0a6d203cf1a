import {
  CancellationScope,
  type ChildWorkflowHandle,
  getExternalWorkflowHandle,
  type Workflow,
  type WorkflowResultType,
} from './sdk.js';

/**
 * What a child workflow comes to. A cancellation of the parent reaches, by itself, only the execution that was started; a
 * child that has continued as new since is cancelled by its name.
 */
export async function childResult<Child extends Workflow>({
  workflowId,
  result,
}: Pick<ChildWorkflowHandle<Child>, 'workflowId' | 'result'>): Promise<WorkflowResultType<Child>> {
  let ended = false;
  CancellationScope.current().cancelRequested.catch(() => {
    if (ended) return;
    CancellationScope.nonCancellable(() => getExternalWorkflowHandle(workflowId).cancel()).catch(
      // It has ended meanwhile, or has heard of it.
      () => undefined,
    );
  });
  try {
    return await result();
  } finally {
    ended = true;
  }
}
