import { InvalidInputError } from '../../../config/errors.js';

/** A rollout that waits for a person. */
export interface Waiting {
  /** Id of its workflow. */
  id: string;
  /** Last message of the agent; null if there is none. */
  said: string | null;
}

/** Returns the run of a rollout, whose own id is `run/row/number`. */
export function runOfRollout(id: string): string {
  return id.split('/').slice(0, -2).join('/');
}

export function waitingText(waiting: readonly Waiting[]): string {
  return waiting
    .map(({ id, said }) => {
      const lines = (said ?? '(nothing was said yet: you begin)').split('\n').map((line) => `  ${line}`);
      return `${id}\n${lines.join('\n')}`;
    })
    .join('\n');
}

/**
 * Returns the waiting rollout that a run's id refers to.
 * @throws InvalidInputError if there is not exactly one.
 */
export function onlyWaiting(run: string, waiting: readonly Waiting[]): Waiting {
  const [only] = waiting;
  if (only === undefined) throw new InvalidInputError(`no rollout of ${run} waits for a user now`);
  if (waiting.length === 1) return only;
  throw new InvalidInputError(
    `${waiting.length} rollouts of ${run} wait for a user; name one of them:\n${waitingText(waiting)}`,
  );
}
