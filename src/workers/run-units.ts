import { Context } from '@temporalio/activity';
import { heartbeating } from '../activities/attempt-journal.js';
import type { RunUnitsInput } from '../contracts/run-units.js';
import { runPlainly } from '../in-process/plain-sdk.js';
import { WORKFLOW_KINDS } from '../kinds/workflows.js';
import { dispatcherOf } from '../workflows/dispatch.js';

/** One workflow for those of every kind, selected by the started type. */
const dispatch = dispatcherOf(WORKFLOW_KINDS);

/**
 * Creates the activity that runs the workflow of a bundle of units in this process: each of their activities is called
 * here, without a history. What they store is what another attempt continues from.
 * @param activities of this worker
 */
export function createRunUnits(
  activities: object,
  notify: (message: string) => void,
): (input: RunUnitsInput) => Promise<unknown> {
  return ({ type, args }) =>
    heartbeating(async () => {
      const context = Context.current();
      const { workflowExecution, attempt, activityId } = context.info;
      if (workflowExecution === undefined) throw new Error('units are run for an experiment');
      return runPlainly(
        dispatch,
        { ...workflowExecution, type, args: [...args, attempt], idPrefix: `${activityId}.${attempt}.` },
        { activities, warn: notify, client: context.client, signal: context.cancellationSignal },
      );
    });
}
