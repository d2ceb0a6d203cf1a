import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { UPDATES } from '../contracts/names.js';

/** The workflow that deals a model's starts. */
const RATE_WORKFLOW = 'rate';

/**
 * Asks the server for starts of requests to a model, so that its rate holds across all workers.
 * @param model its name and address: two servers may call different models by the same name.
 * @returns leases so many starts, and answers with milliseconds until the first of them; the others follow evenly.
 */
export function serverRate(
  { workflow }: Pick<Client, 'workflow'>,
  taskQueue: string,
): (model: string, requestsPerSecond: number) => (count: number) => Promise<number> {
  return (model, requests_per_second) => {
    const workflowId = `${taskQueue}.rate.${model.replace(/[^A-Za-z0-9._-]+/g, '-')}.${requests_per_second}`;
    const lease = (count: number): Promise<number> =>
      workflow.getHandle(workflowId).executeUpdate<number, [number]>(UPDATES.starts, { args: [count] });
    return async (count) => {
      try {
        return await lease(count);
      } catch (error) {
        // There is none yet, or the one that there was has had nothing to do.
        if (!(error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError))
          throw error;
      }
      await workflow.start(RATE_WORKFLOW, {
        workflowId,
        taskQueue,
        args: [{ model, requests_per_second }],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: `${model} · ${requests_per_second} requests a second`,
      });
      return lease(count);
    };
  };
}
