import { changedText } from '../activities/code-changes.js';
import { factsOfLoaded, keptMemory, memoryToBeginWith } from '../activities/memory-file.js';
import { inWords, LOADED_UNSEEN } from '../config/in-words.js';
import type { Loaded } from '../config/prompt-parts.js';
import type { RunConfig } from '../config/schema.js';
import { countedText } from '../statistics/figure-text.js';
import { judgedOf } from '../statistics/judged.js';
import { leftText } from '../storage/experiment-folder.js';
import { openStore } from '../storage/open.js';
import type { StartedRun } from '../workers/start-named.js';
import { shownAddress } from './format.js';

type Started = Pick<StartedRun, 'id' | 'how' | 'changed' | 'left' | 'done' | 'concurrency'>;

interface Carrying {
  /** The changed code is an agent's, which a worker bundles when it starts. */
  bundled?: boolean;
  /** What its config means (see `inWords`), and what is to be said of its dataset. */
  means?: readonly string[];
}

/** @param notes what is to be said of its dataset */
export async function carryingOf(
  config: RunConfig,
  id: string,
  notes: readonly string[] = [],
): Promise<Carrying> {
  const { sentences } = inWords(config, await loadedMemorySeen(config, id));
  return { bundled: 'file' in config.agent, means: [...sentences, ...notes] };
}

/**
 * What prompts can show of the memory that a run begins with: of its own copy where it has one. What cannot be read from
 * here the worker may well be able to read, and says so where it is not.
 */
async function loadedMemorySeen(config: RunConfig, id: string): Promise<Loaded | null> {
  const { load_memory_path, results_dir } = config.output;
  if (load_memory_path === null) return null;
  try {
    const copy = await keptMemory(openStore(results_dir).within(id));
    return factsOfLoaded(config, copy ?? (await memoryToBeginWith(openStore, config)));
  } catch {
    return LOADED_UNSEEN;
  }
}

const VERBS = { new: 'Started', continued: 'Continuing', attached: 'Attached to' } as const;

/** That one in progress was given another concurrency; nothing where it was not. */
export function paceNotes({ id, concurrency }: Pick<Started, 'id' | 'concurrency'>): string[] {
  return concurrency === null ? [] : [`${id} does ${concurrency} at once from now on.`];
}

/** Which version of the user's own code goes on, where it is not as it was; nothing where it is. */
export function codeNotes(
  { id, how, changed }: { id: string; how: string; changed: readonly string[] },
  { bundled = false }: Carrying = {},
): string[] {
  if (changed.length === 0) return [];
  const what = changedText(id, changed);
  if (how !== 'attached')
    return [`${what}: what is done stays as it is, and the rest goes on with the new code.`];
  const stop = `To go on with the new code: npx reprise stop ${id}, then the same command.`;
  if (!bundled) return [`${what}: it goes on with the code that it began with.`, stop];
  return [
    `${what}: it goes on with the code that it began with, on a worker that has that.`,
    `${stop} Where no worker has the old code any more: npx reprise temporal workflow terminate --workflow-id ${id}, then the same command.`,
  ];
}

/** That one of this name is finished and left alone, and how what went wrong there is asked again. */
function doneNotes({ id, done }: Pick<Started, 'id' | 'done'>): string[] {
  if (done === null) return [];
  const { errors } = judgedOf(done.metrics);
  const anew = `${id} begins anew, asks everything and pays for it`;
  if (errors === 0) return [`${done.id} is finished and stays as it is: ${anew}.`];
  return [
    `${done.id} is finished, with ${countedText(errors, 'error')}: npx reprise retry ${retriedAs(done)} asks for ${errors === 1 ? 'that' : 'those'} alone. ${anew}.`,
  ];
}

/** How a folder is named to `reprise retry`: by its name, where it is found by that. */
function retriedAs({ id, artifacts }: { id: string; artifacts: string }): string {
  const shown = shownAddress(artifacts);
  return shown === `results/${id}` ? id : shown;
}

/** What else is said of an experiment that was started or found. */
export function startedNotes(started: Started, carrying: Carrying = {}): string[] {
  const left = started.left === null ? [] : [leftText(started.left.id, started.left.differs)];
  const { means = [] } = carrying;
  return [...means, ...doneNotes(started), ...left, ...paceNotes(started), ...codeNotes(started, carrying)];
}

/** What is said first of it. */
export function startedText(started: Started, carrying?: Carrying): [string, ...string[]] {
  return [`${VERBS[started.how]} ${started.id}`, ...startedNotes(started, carrying)];
}
