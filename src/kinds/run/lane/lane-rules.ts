import type { LaneRules } from '../../../runtime/ports.js';
import type { RunConfig } from '../schema.js';

/** Returns the rules that a config gives its lanes. */
export function laneRulesOf({
  runtime,
  dataset,
  lm,
}: Pick<RunConfig, 'runtime' | 'dataset' | 'lm'>): LaneRules {
  const builtIn = dataset.env_file === undefined;
  return {
    num_trials: runtime.num_trials,
    early_stop_on_success: runtime.early_stop_on_success,
    carry_memory_across_trials: runtime.carry_memory_across_trials,
    max_steps_per_episode: runtime.max_steps_per_episode,
    on_cut_off: lm.on_cut_off,
    reset_each_trial: !builtIn,
    step_with_reply: builtIn,
  };
}
