import type { AgentEvalMetrics, AgentEvalProgress } from '../../src/contracts/agent-eval-results.js';
import { noAgentEvalTotals } from '../../src/rollouts/totals.js';

export function evaluationProgress(
  more: Partial<AgentEvalProgress> = {},
  totals: Partial<AgentEvalProgress['totals']> = {},
): AgentEvalProgress {
  return {
    kind: 'agent-eval',
    experiment: 'flight_task',
    phase: 'running',
    rollouts_planned: 20,
    running: 0,
    ended: 0,
    totals: { ...noAgentEvalTotals(), ...totals },
    mean_reward: null,
    agent_model: 'openai/gpt-4o-mini',
    user_model: 'openai/gpt-3.5-turbo',
    simulated: false,
    concurrency: 8,
    artifacts: '',
    message: null,
    ...more,
  };
}

export const EVALUATION_METRICS: AgentEvalMetrics = {
  name: 'flight_task',
  experiment: 'flight_task',
  kind: 'agent-eval',
  status: 'done',
  status_message: null,
  agent_model: 'openai/gpt-4o-mini',
  user_model: 'openai/gpt-3.5-turbo',
  simulated: false,
  rows: 2,
  rollouts_planned: 8,
  rollouts: 5,
  errors: 1,
  errors_by_type: { timeout: 1 },
  cut_off: 0,
  user_faults: { empty: 1, role_swap: 1, early_stop: 0, cut_off: 0 },
  endings: { user_stop: 4, max_turns: 1 },
  mean_reward: 0.6,
  mean_reward_interval: [0.25, 0.8333333],
  pass_at_k: [0.6, 0.9, null],
  pass_hat_k: [0.6, 1 / 3, null],
  by_row: {
    'flight.cancel.001': { rollouts: 3, mean_reward: 1, successes: 3 },
    'flight.cancel.002': { rollouts: 2, mean_reward: 0, successes: 0 },
  },
  code_changes: [],
  agent_turns: 31,
  tool_calls: 20,
  tool_calls_failed: 2,
  lm_calls: 40,
  lm_calls_repeated: 0,
  usage: { input_tokens: 1000, output_tokens: 200 },
  cost_usd: 0.0123,
  wall_seconds: 61,
  started_at: '2026-03-02T09:00:00.000Z',
  ended_at: '2026-03-02T09:01:01.000Z',
};
