import { leftText } from '../storage/experiment-folder.js';
import type { StartedRun } from '../workers/start-named.js';

type Started = Pick<StartedRun, 'id' | 'how' | 'changed' | 'left' | 'concurrency'>;

interface Carrying {
  /** The changed code is an agent's, which a worker bundles when it starts. */
  bundled?: boolean;
}

const VERBS = { new: 'Started', continued: 'Continuing', attached: 'Attached to' } as const;

/** That one in progress was given another concurrency; nothing where it was not. */
export function paceNotes({ id, concurrency }: Pick<Started, 'id' | 'concurrency'>): string[] {
  return concurrency === null ? [] : [`${id} does ${concurrency} at once from now on.`];
}

/** Which version of the user's own code goes on, where it is not as it was; nothing where it is. */
function codeNotes({ id, how, changed }: Started, { bundled = false }: Carrying): string[] {
  if (changed.length === 0) return [];
  const what = `${changed.join(', ')} ${changed.length === 1 ? 'has' : 'have'} changed since ${id} began`;
  if (how !== 'attached' || !bundled) {
    return [`${what}: what is done stays as it is, and the rest goes on with the new code.`];
  }
  return [
    `${what}: it goes on with the code that it began with, on a worker that has that.`,
    `To go on with the new code: npx reprise stop ${id}, then the same command. Where no worker has the old code any more: npx reprise temporal workflow terminate --workflow-id ${id}, then the same command.`,
  ];
}

/** What else is said of an experiment that was started or found. */
export function startedNotes(started: Started, carrying: Carrying = {}): string[] {
  const left = started.left === null ? [] : [leftText(started.left.id, started.left.differs)];
  return [...left, ...paceNotes(started), ...codeNotes(started, carrying)];
}

/** What is said first of it. */
export function startedText(started: Started, carrying?: Carrying): [string, ...string[]] {
  return [`${VERBS[started.how]} ${started.id}`, ...startedNotes(started, carrying)];
}
