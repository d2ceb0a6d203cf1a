import { InvalidInputError } from '../../../config/errors.js';

/** A rollout that waits for a person. */
export interface Waiting {
  /** Of its workflow. */
  id: string;
  /** What the agent said last; null where it has said nothing. */
  said: string | null;
}

/** The run of a rollout: its own id is `run/row/number`. */
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
 * Which of the rollouts that wait is meant by a run's id.
 * @throws InvalidInputError where it is not exactly one.
 */
export function onlyWaiting(run: string, waiting: readonly Waiting[]): Waiting {
  const [only] = waiting;
  if (only === undefined) throw new InvalidInputError(`no rollout of ${run} waits for a user now`);
  if (waiting.length === 1) return only;
  throw new InvalidInputError(
    `${waiting.length} rollouts of ${run} wait for a user; name one of them:\n${waitingText(waiting)}`,
  );
}
