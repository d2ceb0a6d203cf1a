import { basename } from 'node:path';
import {
  beforeIn,
  isChosenByLabel,
  type Loaded,
  listed,
  type Part,
  type Prompts,
  promptsOf,
  type Shown,
} from './prompt-parts.js';
import type { RunConfig } from './schema.js';

const NOTHING_LOADED: Loaded = { entries: [], reflections: false, experiences: false, sheet: false };

/** Assumptions about a loaded memory that cannot be read from here. */
export const LOADED_UNSEEN: Loaded = {
  entries: ['unknown'],
  reflections: true,
  experiences: true,
  sheet: true,
};

/** Description of what the prompts of a run can show. */
export interface InWords {
  /**
   * Sentences on the order of samples, on what each prompt shows, and with several trials, on which one the accuracy
   * refers to.
   */
  sentences: string[];
  /** Maximum that any prompt shows of how answers were judged, including prompts for reflections or notes. */
  shown: Shown;
  /** True if similar tasks are chosen by how they were judged. */
  chosenByLabel: boolean;
}

const LEAST_TO_MOST: readonly Shown[] = ['none', 'outcome', 'unknown', 'full'];

function most(shown: readonly Shown[]): Shown {
  const ranks = shown.map((one) => LEAST_TO_MOST.indexOf(one));
  return LEAST_TO_MOST[Math.max(0, ...ranks)] as Shown;
}

function orderInWords({ runtime }: RunConfig): string {
  const { memory_scope, concurrency } = runtime;
  if (memory_scope === 'run')
    return 'Samples go one after another and share one memory; runtime.memory_scope=sample makes them independent.';
  const pace = concurrency === 1 ? 'one is at work at a time' : `up to ${concurrency} are at work at once`;
  return `Samples are independent: nothing of one is shown to another, and ${pace}.`;
}

/** Describes what a trial can read of how earlier trials were judged. */
function ownTrialsInWords(parts: readonly Part[]): string[] {
  const shown = most(parts.filter(({ ofTrials }) => ofTrials).flatMap((part) => part.shown));
  if (shown === 'full') return ['A later trial of a sample can read its right answer.'];
  if (shown === 'none') return [];
  return ['A later trial of a sample can read whether its earlier answers were right.'];
}

const OLD_ANSWERS = 'Right answers of the loaded memory may be to the questions that are asked.';

/** Describes the prompts. @param tellsOld true if right answers of a loaded memory are shown */
function promptsInWords({ parts, notes }: Prompts, hasImages: boolean, tellsOld: boolean): string {
  const question = hasImages ? 'its question and the images of it' : 'its question';
  const first =
    parts.length === 0
      ? `Each prompt shows ${question}${hasImages ? ', and nothing else' : ' alone'}.`
      : `Each prompt shows ${listed([question, ...parts.map(({ text }) => text)])}.`;
  const unknown = parts.some(({ shown }) => shown.includes('unknown'))
    ? ['Whether texts of the loaded memory tell right answers is not known.']
    : [];
  return [first, ...notes, ...unknown, ...(tellsOld ? [OLD_ANSWERS] : []), ...ownTrialsInWords(parts)].join(
    ' ',
  );
}

/** Describes the independent repetitions of a sample. */
function epochsInWords({ runtime: { epochs } }: RunConfig): string[] {
  if (epochs === 1) return [];
  return [
    `Each sample is run in ${epochs} epochs, and nothing of one is shown to another: each of them counts as a sample.`,
  ];
}

function trialsInWords({ runtime }: RunConfig, areSeen: boolean): string[] {
  const { num_trials, early_stop_on_success } = runtime;
  if (num_trials === 1) return [];
  const apart = areSeen ? '' : ', and no trial is shown anything of another';
  return early_stop_on_success
    ? [
        `Each sample is tried up to ${num_trials} times, until an answer is judged right${apart}: the accuracy is the share that any trial got right.`,
      ]
    : [`Each sample is tried ${num_trials} times${apart}: the accuracy is that of the last trial.`];
}

/** Describes the part of a run that is a user's and decides what prompts show; null if there is none. */
function ownPart({ agent, memory }: RunConfig): string | null {
  if ('file' in agent) {
    return `${agent.type} (${basename(String(agent.file))}), which is told the right answer after each of its own`;
  }
  if (memory._type !== 'own') return null;
  const detail = agent.feedback === 'outcome' ? 'without' : 'with';
  return `the memory in ${basename(memory.file)}, which is told how answers were judged, ${detail} the right answers`;
}

/**
 * Describes what a config means: the order of samples, and what each prompt can show. Explicit values and defaults are
 * treated alike.
 * @param loaded what prompts can show of the loaded memory; null if none is loaded
 */
export function inWords(config: RunConfig, loaded: Loaded | null): InWords {
  const chosenByLabel = isChosenByLabel(config);
  const own = ownPart(config);
  if (own !== null) {
    const prompts = `What each prompt shows is up to ${own}.`;
    const trials = trialsInWords(config, beforeIn(config).trials);
    const sentences = [orderInWords(config), prompts, ...epochsInWords(config), ...trials];
    return { sentences, shown: 'unknown', chosenByLabel };
  }
  const prompts = promptsOf(config, loaded ?? NOTHING_LOADED);
  const { parts, besides } = prompts;
  const areSeen = parts.some(({ ofTrials }) => ofTrials);
  const tellsOld = parts.length > 0 && loaded?.entries.includes('full') === true;
  return {
    sentences: [
      orderInWords(config),
      promptsInWords(prompts, config.dataset.image_field !== undefined, tellsOld),
      ...epochsInWords(config),
      ...trialsInWords(config, areSeen),
    ],
    shown: most([...parts.flatMap(({ shown }) => shown), ...besides]),
    chosenByLabel,
  };
}
