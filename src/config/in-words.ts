import { basename } from 'node:path';
import type { AgentConfig, DynamicCheatsheetAgentConfig, ReflexionAgentConfig } from './agent-schemas.js';
import { curates, isCheatsheetAgent, usesRetrieval } from './combinations.js';
import type { RunConfig } from './schema.js';

/** How much of what was there before a prompt may know. */
interface Before {
  /** Whether a memory is loaded. */
  loaded: boolean;
  /** Whether samples share one memory. */
  samples: boolean;
  /** Whether the memory holds earlier trials of the sample. */
  trials: boolean;
  /** Whether an episode may have several steps. */
  steps: boolean;
}

function beforeIn({ runtime, dataset, output }: RunConfig): Before {
  return {
    loaded: output.load_memory_path !== null,
    samples: runtime.memory_scope === 'run',
    trials: runtime.num_trials > 1 && runtime.carry_memory_across_trials,
    steps: dataset.env_file !== undefined || dataset.env_class === 'NumberGuessingEnv',
  };
}

function listed(items: readonly string[]): string {
  return [items.slice(0, -1).join(', '), ...items.slice(-1)].filter((item) => item !== '').join(' and ');
}

function last(count: number, one: string, several: string): string {
  return count === 1 ? `the last ${one}` : `the last ${count} ${several}`;
}

/** `what` of all that was before; nothing where nothing was. */
function of(what: string, { loaded, samples, trials, steps }: Before): string[] {
  const sources = [
    ...(loaded ? ['the loaded memory'] : []),
    ...(samples ? ['the samples before it'] : []),
    ...(trials ? ['the trials before it'] : []),
    ...(steps ? ['the steps before it'] : []),
  ];
  return sources.length === 0 ? [] : [`${what} ${listed(sources)}`];
}

function rightAnswers({ feedback }: AgentConfig): string {
  return feedback === 'outcome' ? 'without the right answers' : 'with the right answers';
}

function entries(agent: AgentConfig, before: Before): string[] {
  const what = `${last(agent.history_k, 'memory entry', 'memory entries')} (what was asked, answered and judged, ${rightAnswers(agent)}) of`;
  return agent.history_k === 0 ? [] : of(what, before);
}

function shownByReflexion(agent: ReflexionAgentConfig, before: Before): string[] {
  const { enabled, mode, strategy, max_reflections } = agent.reflection_config;
  const reflects = enabled && strategy.endsWith('reflexion');
  const onSteps = before.steps && mode !== 'episode_end';
  return [
    ...entries(agent, { ...before, trials: false }),
    ...(before.trials && strategy.startsWith('last_attempt')
      ? [`the last attempt at it, ${rightAnswers(agent)}`]
      : []),
    ...(reflects
      ? of(`${last(max_reflections, 'reflection', 'reflections')} on`, { ...before, steps: onSteps })
      : []),
  ];
}

function shownByCheatsheet(agent: DynamicCheatsheetAgentConfig, before: Before): string[] {
  const { mode, history_k, retrieve_top_k } = agent;
  const tasks = (what: string) =>
    of(`${what} (without how they were judged) of`, { ...before, steps: false });
  const notes =
    mode === 'cumulative' ? 'the notes of the model on' : 'notes of the model on similar tasks of';
  return [
    ...(curates(agent) ? of(notes, { ...before, steps: false }) : []),
    ...(mode === 'full_history' ? tasks('every task') : []),
    ...(usesRetrieval(agent) && mode !== 'retrieval_synthesis'
      ? tasks(`up to ${retrieve_top_k} similar tasks`)
      : []),
    ...(history_k > 0 && mode !== 'full_history' ? tasks(last(history_k, 'task', 'tasks')) : []),
    ...(before.steps ? ['the steps before it'] : []),
  ];
}

function shown(agent: AgentConfig, before: Before): string[] {
  if (isCheatsheetAgent(agent)) return shownByCheatsheet(agent, before);
  if ('reflection_config' in agent) return shownByReflexion(agent as ReflexionAgentConfig, before);
  return entries(agent, before);
}

function order({ runtime }: RunConfig): string {
  return runtime.memory_scope === 'run'
    ? 'Samples go one after another and share one memory; runtime.memory_scope=sample makes them independent.'
    : `Samples are independent: nothing of one is shown to another, and up to ${runtime.concurrency} are at work at once.`;
}

/**
 * What a config means, for people: whether samples go one after another, and what each prompt shows. What of it was said in
 * the config and what is a default makes no difference.
 */
export function inWords(config: RunConfig): [order: string, prompts: string] {
  const { agent } = config;
  if ('file' in agent) {
    return [
      order(config),
      `What each prompt shows is up to ${agent.type} (${basename(String(agent.file))}).`,
    ];
  }
  const parts = shown(agent, beforeIn(config));
  return [
    order(config),
    parts.length === 0
      ? 'Each prompt shows its question alone.'
      : `Each prompt shows ${listed(['its question', ...parts])}.`,
  ];
}
