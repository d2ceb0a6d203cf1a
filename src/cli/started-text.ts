import type { Started } from '../client/start.js';
import { judgedOf, type KindFacts } from '../facts/kind-facts.js';
import { countedText } from '../statistics/figure-text.js';
import { leftText } from '../storage/experiment-folder.js';
import { changedText } from '../user-code/code-file.js';
import { shownAddress } from './format.js';

/** What else is to be known of an experiment that was started or found. */
interface Saying {
  /** What its kind says of it. */
  facts: KindFacts;
  /** What its kind says before and after what is said of every kind. */
  before?: readonly string[];
  after?: readonly string[];
  /** Whether its code may be an agent's, which a worker bundles when it starts. */
  hasAgents?: boolean;
  /** Whether its errors can be asked again. */
  isRetriable?: boolean;
}

const VERBS = { started: 'Started', continued: 'Continuing', attached: 'Attached to' } as const;

type Told = Omit<Started, 'handle' | 'running'>;

/** That one in progress was given another concurrency; nothing where it was not. */
function paceNotes({ id, concurrency }: Told): string[] {
  return concurrency === null ? [] : [`${id} does ${concurrency} at once from now on.`];
}

/** Which version of the user's own code goes on, where it is not as it was; nothing where it is. */
function codeNotes({ id, how, changed }: Told, { hasAgents = false }: Saying): string[] {
  if (changed.length === 0) return [];
  const what = changedText(id, changed);
  if (how !== 'attached')
    return [`${what}: what is done stays as it is, and the rest goes on with the new code.`];
  const stop = `To go on with the new code: npx reprise stop ${id}, then the same command.`;
  if (!hasAgents) return [`${what}: it goes on with the code that it began with.`, stop];
  return [
    `${what}: it goes on with the code that it began with, on a worker that has that.`,
    `${stop} Where no worker has the old code any more: npx reprise temporal workflow terminate --workflow-id ${id}, then the same command.`,
  ];
}

/** That one of this name is finished and left alone, and how what went wrong there is asked again. */
function doneNotes({ id, done }: Told, { isRetriable = false, facts }: Saying): string[] {
  if (done === null) return [];
  const { errors } = judgedOf(done.metrics, facts);
  const anew = `${id} begins anew, asks everything and pays for it`;
  if (errors === 0 || !isRetriable) return [`${done.id} is finished and stays as it is: ${anew}.`];
  return [
    `${done.id} is finished, with ${countedText(errors, 'error')}: npx reprise retry ${retriedAs(done)} asks for ${errors === 1 ? 'that' : 'those'} alone. ${anew}.`,
  ];
}

/** How a folder is named to `reprise retry`: by its name, where it is found by that. */
function retriedAs({ id, artifacts }: { id: string; artifacts: string }): string {
  const shown = shownAddress(artifacts);
  return shown === `results/${id}` ? id : shown;
}

/** Says that an experiment of any kind was started or found, and what else there is to say of it. */
export function startedText(started: Told, saying: Saying): [string, ...string[]] {
  const { before = [], after = [] } = saying;
  return [
    `${VERBS[started.how]} ${started.id}`,
    ...before,
    ...doneNotes(started, saying),
    ...(started.left === null ? [] : [leftText(started.left)]),
    ...paceNotes(started),
    ...codeNotes(started, saying),
    ...after,
  ];
}
