import { closestWord } from '../config/errors.js';
import type { WorkflowFunction, WorkflowKind } from './kind.js';
import { workflowInfo } from './sdk.js';
import { refusal } from './started-rightly.js';

/** Returns one workflow for those of every kind, which runs the one of the started type. */
export function dispatcherOf(kinds: readonly WorkflowKind[]): (...args: unknown[]) => Promise<unknown> {
  const byType = new Map<string, WorkflowFunction>(
    kinds.flatMap(({ id, experiment, children = {} }) => [[id, experiment], ...Object.entries(children)]),
  );
  return async (...args) => {
    const workflow = byType.get(workflowInfo().workflowType);
    if (workflow === undefined) throw unknown(kinds.map(({ id }) => id));
    return workflow(...(args as never[]));
  };
}

/**
 * Creates the error for an unknown workflow type on a queue of Reprise. A part of an experiment is no mistake: a newer
 * version has started it, and it waits for a worker of that version.
 * @param ids types that users may start; the other types are parts of these
 */
function unknown(ids: readonly string[]): Error {
  const { parent, workflowType } = workflowInfo();
  if (parent !== undefined) return new Error(`this version has no workflow '${workflowType}'`);
  const meant = closestWord(workflowType, ids);
  const guess = meant === null ? '' : `; did you mean '${meant}'?`;
  return refusal(`there is no workflow '${workflowType}', only ${ids.join(', ')}${guess}`);
}
