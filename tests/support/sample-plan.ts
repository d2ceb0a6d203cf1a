import type { RunPlan } from '../../src/kinds/run/contracts.js';
import { noTotals } from '../../src/kinds/run/lane/totals.js';

const UNLIMITED = { max_lm_calls: null, max_tokens: null, max_cost_usd: null, max_wall_seconds: null };

/** Returns the plan of a run whose samples take one call each. */
export function samplePlan({
  max_lm_calls = null,
  ...other
}: Omit<Partial<RunPlan>, 'limits'> & { max_lm_calls?: number | null } = {}): RunPlan {
  return {
    experiment: 'mine',
    run: 'run',
    execution: 'execution',
    model: 'openai/fake',
    artifacts: '',
    agent: { type: 'history_agent', history_k: 0, feedback: 'none' },
    memory: { _type: 'history_list', max_length: 1 },
    rules: {
      num_trials: 1,
      early_stop_on_success: false,
      carry_memory_across_trials: true,
      max_steps_per_episode: 1,
      reset_each_trial: false,
      step_with_reply: true,
    },
    memory_scope: 'sample',
    load_memory: 'none',
    limits: { ...UNLIMITED, max_lm_calls },
    max_attempts: 1,
    timeout_sec: 10,
    search_attributes: [],
    kept: noTotals(),
    ...other,
  } as unknown as RunPlan;
}

export const USAGE = { input_tokens: 1, output_tokens: 1 };

/** Right answer to a sample, and what its environment says of it. */
export const RIGHT = {
  text: '4',
  finish_reason: 'stop' as const,
  usage: USAGE,
  step: { feedback: { correct: true, target: '4', message: '', extra: {} }, done: true },
};
