import { curates, isCheatsheetAgent } from '../../../agents/dynamic-cheatsheet/modes.js';
import { modelNameOf } from '../../../config/model-name.js';
import { environmentName } from '../../../environments/registry.js';
import { inWords } from '../in-words.js';
import type { RunFacts } from '../metrics.js';
import { isSimulated } from '../models.js';
import type { Loaded } from '../prompt-parts.js';
import type { RunConfig } from '../schema.js';

/** Facts of a run that are not in its config. */
export type RunCourse = Pick<
  RunFacts,
  | 'experiment'
  | 'status'
  | 'status_message'
  | 'samples_planned'
  | 'wall_seconds'
  | 'started_at'
  | 'ended_at'
  | 'code_changes'
>;

/**
 * Returns how much feedback this run's memory keeps. A cheatsheet keeps none itself, but may repeat what its curator is
 * shown.
 */
function feedbackInMemory({ agent, memory }: RunConfig): RunFacts['feedback_in_memory'] {
  const { feedback = 'full' } = agent;
  if (!isCheatsheetAgent(agent) || memory._type !== 'cheatsheet') return feedback;
  return agent.curator_sees_feedback ? feedback : 'none';
}

/**
 * Returns the facts that accompany a run's figures: those of its config, and its course.
 * @param loaded what prompts can show of the loaded memory; null if none is loaded
 */
export function runFacts(config: RunConfig, loaded: Loaded | null, course: RunCourse): RunFacts {
  const { name, lm, agent, seed, runtime, dataset } = config;
  const { sentences, shown, chosenByLabel } = inWords(config, loaded);
  return {
    name,
    ...course,
    model: modelNameOf(lm),
    simulated: isSimulated(config),
    agent: agent.type,
    seed,
    in_words: sentences,
    feedback_in_prompts: shown,
    ...(chosenByLabel ? { examples_chosen_by_label: true } : {}),
    feedback_in_memory: feedbackInMemory(config),
    ...(isCheatsheetAgent(agent) && curates(agent)
      ? { curator_sees_feedback: agent.curator_sees_feedback }
      : {}),
    early_stop_on_success: runtime.early_stop_on_success,
    environment: environmentName(dataset),
  };
}
