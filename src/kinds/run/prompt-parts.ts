import { curates, isCheatsheetAgent, usesRetrieval } from '../../agents/dynamic-cheatsheet/modes.js';
import type {
  AgentConfig,
  DynamicCheatsheetAgentConfig,
  ReflexionAgentConfig,
} from '../../config/agent-schemas.js';
import type { RunConfig } from './schema.js';

/**
 * Level of what prompts show of how answers were judged: nothing; whether they were right; unknown, as in a text of a
 * loaded memory; the right answers.
 */
export type Shown = 'none' | 'outcome' | 'unknown' | 'full';

/** Content of a loaded memory that prompts can show, after `agent.feedback` has been applied. */
export interface Loaded {
  /** Levels of the history entries that are no reflections, each once; empty if no such entry is shown. */
  entries: readonly Shown[];
  reflections: boolean;
  experiences: boolean;
  sheet: boolean;
}

/** Part of the prompts that request an answer. */
export interface Part {
  text: string;
  shown: readonly Shown[];
  /** True if it may contain earlier trials of the same sample. */
  ofTrials: boolean;
}

/** Parts of a run's prompts. */
export interface Prompts {
  parts: readonly Part[];
  /** Sentences on what else the prompts show. */
  notes: readonly string[];
  /** Levels of the prompts for reflections or notes. */
  besides: readonly Shown[];
}

/** Earlier content that a prompt may show. */
interface Before {
  loaded: boolean;
  /** True if samples share one memory. */
  samples: boolean;
  /** True if the memory holds earlier trials of the sample. */
  trials: boolean;
  /** True if an episode may have several steps. */
  steps: boolean;
}

/** Returns what a prompt may show of this run itself. */
export function beforeIn({ runtime, dataset }: Pick<RunConfig, 'runtime' | 'dataset'>): Before {
  const severalSteps = dataset.env_file !== undefined || dataset.env_class === 'NumberGuessingEnv';
  return {
    loaded: false,
    samples: runtime.memory_scope === 'run',
    trials: runtime.num_trials > 1 && runtime.carry_memory_across_trials,
    steps: severalSteps && runtime.max_steps_per_episode !== 1,
  };
}

/** Joins items: `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[]): string {
  return [items.slice(0, -1).join(', '), ...items.slice(-1)].filter((item) => item !== '').join(' and ');
}

function last(count: number, one: string, several: string): string {
  return count === 1 ? `the last ${one}` : `the last ${count} ${several}`;
}

function isOfThisRun({ samples, trials, steps }: Before): boolean {
  return samples || trials || steps;
}

/** Returns the part that shows `text` of all earlier content; empty if there is none. */
function of(text: string, before: Before, shown: { own: Shown; loaded?: readonly Shown[] }): Part[] {
  const { loaded, samples, trials, steps } = before;
  const sources = [
    ...(loaded ? ['the loaded memory'] : []),
    ...(samples ? ['the samples before it'] : []),
    ...(trials ? ['the trials before it'] : []),
    ...(steps ? ['the steps before it'] : []),
  ];
  if (sources.length === 0) return [];
  const all = [...(isOfThisRun(before) ? [shown.own] : []), ...(loaded ? (shown.loaded ?? []) : [])];
  return [{ text: `${text} ${listed(sources)}`, shown: all, ofTrials: trials }];
}

function feedbackOf({ feedback = 'full' }: Pick<AgentConfig, 'feedback'>): Shown {
  return feedback;
}

/** Describes if right answers are shown. @param own level of this run's entries; null if none is shown */
function rightAnswers(own: Shown | null, loaded: readonly Shown[] = []): string {
  if (own !== 'full' && !loaded.includes('full')) return 'without the right answers';
  const lacking = loaded.length > 0 && loaded.every((shown) => shown === 'none' || shown === 'outcome');
  return lacking ? 'with the right answers but for the loaded ones' : 'with the right answers';
}

/** Returns the part for the newest entries of a history. */
function entries({ agent, memory }: RunConfig, before: Before, loaded: Loaded): Part[] {
  const kept = 'max_length' in memory ? memory.max_length : Number.POSITIVE_INFINITY;
  const count = Math.min(agent.history_k, kept);
  if (count === 0) return [];
  const own = feedbackOf(agent);
  const judged = rightAnswers(isOfThisRun(before) ? own : null, loaded.entries);
  const aStep = agent.type === 'history_agent' ? 'three a step: ' : '';
  return of(
    `${last(count, 'memory entry', 'memory entries')} (${aStep}what was asked, answered and judged, ${judged}) of`,
    { ...before, loaded: loaded.entries.length > 0 },
    { own, loaded: loaded.entries },
  );
}

function ofReflexion(config: RunConfig, agent: ReflexionAgentConfig, loaded: Loaded): Prompts {
  const { enabled, mode, strategy, max_reflections } = agent.reflection_config;
  const before = beforeIn(config);
  const own = feedbackOf(agent);
  const attempt: Part = {
    text: `the last attempt at it, ${rightAnswers(own)}`,
    shown: [own],
    ofTrials: true,
  };
  const parts = [
    ...entries(config, { ...before, trials: false }, loaded),
    ...(before.trials && strategy.startsWith('last_attempt') ? [attempt] : []),
  ];
  if (!enabled || !strategy.endsWith('reflexion')) return { parts, notes: [], besides: [] };
  const reflections = of(
    `${last(max_reflections, 'reflection', 'reflections')} on`,
    { ...before, loaded: loaded.reflections, steps: before.steps && mode !== 'episode_end' },
    { own, loaded: ['unknown'] },
  );
  const note =
    own === 'full'
      ? 'Each reflection is asked for with the right answer.'
      : 'Each reflection is asked for without the right answer.';
  return { parts: [...parts, ...reflections], notes: [note], besides: [own] };
}

function ofCheatsheet(config: RunConfig, agent: DynamicCheatsheetAgentConfig, loaded: Loaded): Prompts {
  const { mode, history_k, retrieve_top_k, curator_sees_feedback } = agent;
  const before = beforeIn(config);
  const earlier = { ...before, loaded: loaded.experiences, steps: false };
  const tasks = (what: string) => of(`${what} (without how they were judged) of`, earlier, { own: 'none' });
  const curator = curator_sees_feedback ? feedbackOf(agent) : 'none';
  const byLabel = isChosenByLabel(config);
  // Right answers to the same question are left out, and so are all of the same sample.
  const similar = byLabel
    ? of(
        `up to ${retrieve_top_k} similar tasks that were judged right of`,
        { ...earlier, trials: false },
        { own: 'outcome', loaded: ['outcome'] },
      )
    : tasks(`up to ${retrieve_top_k} similar tasks`);
  const isSynthesis = mode === 'retrieval_synthesis';
  const sheet = of(
    isSynthesis ? 'notes of the model on similar tasks of' : 'the notes of the model on',
    { ...earlier, loaded: loaded.sheet || (isSynthesis && loaded.experiences) },
    { own: curator, loaded: loaded.sheet ? ['unknown'] : [] },
  );
  // Notes are made before each answer, even if there is nothing yet to make them from.
  if (isSynthesis && sheet.length === 0)
    sheet.push({ text: 'notes of the model for it', shown: [], ofTrials: false });
  const steps = { text: 'the steps before it', shown: [], ofTrials: false };
  return {
    parts: [
      ...(curates(agent) ? sheet : []),
      ...(mode === 'full_history' ? tasks('every task') : []),
      ...(usesRetrieval(agent) && !isSynthesis ? similar : []),
      ...(history_k > 0 && mode !== 'full_history' ? tasks(last(history_k, 'task', 'tasks')) : []),
      ...(before.steps ? [steps] : []),
    ],
    notes: [
      ...(byLabel
        ? [
            'Right answers choose the similar tasks: those that were judged right, but none of the same sample or with the same question.',
          ]
        : []),
      ...(curator_sees_feedback
        ? [`The curator is shown how answers were judged, ${rightAnswers(curator)}.`]
        : mode === 'cumulative'
          ? ['The curator is not shown how answers were judged.']
          : []),
    ],
    besides: [curator, ...(isSynthesis ? similar.flatMap(({ shown }) => shown) : [])],
  };
}

/** True if experiences are chosen by how they were judged. A user's agent may search for some. */
export function isChosenByLabel({ agent, memory }: Pick<RunConfig, 'agent' | 'memory'>): boolean {
  const retrieves = 'file' in agent || (isCheatsheetAgent(agent) && usesRetrieval(agent));
  return retrieves && 'retrieval' in memory && memory.retrieval.correct_only;
}

/** Returns the part for examples of other questions. */
function examplesOf({ dataset: { few_shot } }: RunConfig): Part[] {
  if (few_shot === undefined) return [];
  const { count = few_shot.items?.length } = few_shot;
  const several = `${count === undefined ? '' : `${count} `}examples with their right answers`;
  const text = `${count === 1 ? 'an example with its right answer' : several} (dataset.few_shot)`;
  return [{ text, shown: [], ofTrials: false }];
}

/** Returns the parts of the prompts of a run with a built-in agent. */
export function promptsOf(config: RunConfig, loaded: Loaded): Prompts {
  const prompts = ownPromptsOf(config, loaded);
  return { ...prompts, parts: [...examplesOf(config), ...prompts.parts] };
}

function ownPromptsOf(config: RunConfig, loaded: Loaded): Prompts {
  const { agent } = config;
  if (isCheatsheetAgent(agent)) return ofCheatsheet(config, agent, loaded);
  if ('reflection_config' in agent) return ofReflexion(config, agent as ReflexionAgentConfig, loaded);
  return { parts: entries(config, beforeIn(config), loaded), notes: [], besides: [] };
}
