import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { STARTS_UPDATE } from '../contracts/names.js';

/** Workflow that grants the starts of a model's requests. */
const RATE_WORKFLOW = 'rate';

/**
 * Requests grants of starts to a model from the server, so that its rate holds across all workers.
 * @param model its name and address: two servers may use the same name for different models.
 * @returns a function that requests a number of starts and resolves to the milliseconds until the first; the others
 * follow evenly.
 */
export function serverRate(
  { workflow }: Pick<Client, 'workflow'>,
  taskQueue: string,
): (model: string, requestsPerSecond: number) => (count: number) => Promise<number> {
  return (model, requests_per_second) => {
    const workflowId = `${taskQueue}.rate.${model.replace(/[^A-Za-z0-9._-]+/g, '-')}.${requests_per_second}`;
    const grant = (count: number): Promise<number> =>
      workflow.getHandle(workflowId).executeUpdate<number, [number]>(STARTS_UPDATE, { args: [count] });
    return async (count) => {
      try {
        return await grant(count);
      } catch (error) {
        // There is no such workflow yet, or it ended because it was idle.
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
      return grant(count);
    };
  };
}
