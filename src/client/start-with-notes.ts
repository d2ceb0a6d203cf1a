import type { Client } from '@temporalio/client';
import { judgedOf, type KindFacts } from '../facts/kind-facts.js';
import type { LoadedKind } from '../kinds/registry.js';
import { countedText } from '../statistics/figure-text.js';
import { leftText } from '../storage/experiment-folder.js';
import { shownAddress } from '../storage/shown-address.js';
import { changedText } from '../user-code/code-file.js';
import { type ClientStartOptions, type Started, startExperiment } from './start.js';

/** Experiment that was started or found, and the sentences to print about it; the first one is `Started NAME`. */
export interface StartedWithNotes extends Started {
  says: [string, ...string[]];
}

/** Further information about an experiment that was started or found. */
interface Saying {
  facts: KindFacts;
  /** Sentences of the kind before and after the common ones. */
  before?: readonly string[];
  after?: readonly string[];
  /** True if the experiment's errors can be retried. */
  isRetriable?: boolean;
}

const VERBS = { started: 'Started', continued: 'Continuing', attached: 'Attached to' } as const;

type StartNotes = Omit<Started, 'handle' | 'running'>;

/** Says that the concurrency was changed; empty where it was not. */
function paceNotes({ id, concurrency }: StartNotes): string[] {
  return concurrency === null ? [] : [`${id} does ${concurrency} at once from now on.`];
}

/** Says which version of changed user code an experiment uses; empty where no code has changed. */
function codeNotes({ id, how, changed }: StartNotes): string[] {
  if (changed.length === 0) return [];
  const what = changedText(id, changed);
  if (how !== 'attached')
    return [`${what}: what is done stays as it is, and the rest continues with the new code.`];
  const stop = `To continue with the new code: npx reprise stop ${id}, then the same command.`;
  return [`${what}: it continues with the code that it began with.`, stop];
}

/** Says that an experiment of this name is finished and stays as it is, and how its errors are retried. */
function doneNotes({ id, done }: StartNotes, { isRetriable = false, facts }: Saying): string[] {
  if (done === null) return [];
  const { errors } = judgedOf(done.metrics, facts);
  const anew = `${id} begins anew, asks everything and pays for it`;
  if (errors === 0 || !isRetriable) return [`${done.id} is finished and stays as it is: ${anew}.`];
  return [
    `${done.id} is finished, with ${countedText(errors, 'error')}: npx reprise retry ${retriedAs(done)} asks for ${errors === 1 ? 'that' : 'those'} alone. ${anew}.`,
  ];
}

/** Returns the argument of `reprise retry` for a folder: its name, where that finds the folder. */
function retriedAs({ id, artifacts }: { id: string; artifacts: string }): string {
  const shown = shownAddress(artifacts);
  return shown === `results/${id}` ? id : shown;
}

/** Returns the sentences to print about an experiment that was started or found. */
export function startedText(started: StartNotes, saying: Saying): [string, ...string[]] {
  const { before = [], after = [] } = saying;
  return [
    `${VERBS[started.how]} ${started.id}`,
    ...before,
    ...doneNotes(started, saying),
    ...(started.left === null ? [] : [leftText(started.left)]),
    ...paceNotes(started),
    ...codeNotes(started),
    ...after,
  ];
}

/** Starts an experiment as {@link startExperiment} does. @param options.notes sentences from the check of its config */
export async function startWithNotes(
  client: Client,
  { kind, command }: LoadedKind,
  config: object,
  { notes = [], ...options }: ClientStartOptions & { notes?: readonly string[] },
): Promise<StartedWithNotes> {
  const started = await startExperiment(client, kind, config, options);
  const own = await command.says?.(config, started);
  const says = startedText(started, {
    before: [...(own?.before ?? []), ...notes],
    after: own?.after ?? [],
    isRetriable: kind.retry !== undefined,
    facts: kind.facts,
  });
  return { ...started, says };
}
