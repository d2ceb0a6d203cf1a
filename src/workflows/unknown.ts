import { workflowInfo } from '@temporalio/workflow';
import { closestWord } from '../config/errors.js';
import { WORKFLOW_TYPES } from '../contracts/names.js';
import { refusal } from './started-rightly.js';

/** What somebody may start; the other types are parts of these. */
const STARTED = [WORKFLOW_TYPES.run, WORKFLOW_TYPES.evolve, WORKFLOW_TYPES.agentEval, WORKFLOW_TYPES.judge];

/**
 * Whatever else is started on a queue of Reprise. A part of an experiment is no mistake: a newer version has started it,
 * and it waits for a worker of that version.
 * @throws ApplicationFailure that names the workflows there are.
 */
export async function unknown(): Promise<never> {
  const { parent, workflowType } = workflowInfo();
  if (parent !== undefined) throw new Error(`this version has no workflow '${workflowType}'`);
  const meant = closestWord(workflowType, STARTED);
  const guess = meant === null ? '' : `; did you mean '${meant}'?`;
  throw refusal(`there is no workflow '${workflowType}', only ${STARTED.join(', ')}${guess}`);
}
