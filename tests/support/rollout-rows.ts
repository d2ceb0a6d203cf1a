import type { RolloutRow } from '../../src/kinds/agent-eval/contracts.js';
import type { AgentEvalFacts } from '../../src/kinds/agent-eval/metrics.js';
import { CallTally } from '../../src/statistics/call-figures.js';

/** An evaluation of two rows with three rollouts each. */
export const AGENT_EVAL_FACTS: AgentEvalFacts = {
  name: 'desk',
  experiment: 'desk-2',
  status: 'done',
  status_message: null,
  agent_model: 'openai/agent',
  user_model: 'openai/user',
  simulated: false,
  code_changes: [],
  wall_seconds: 81.25,
  started_at: '2026-01-31T23:59:59.120Z',
  ended_at: '2026-02-01T00:01:20.370Z',
  planned: [
    { row: 'a', n_rollouts: 3 },
    { row: 'b', n_rollouts: 3 },
  ],
  success_reward: 1,
  seed: 0,
};

/** A rollout that the user ended; give what matters. */
export function rolloutRow(
  task_id: string,
  trial: number,
  reward: number | null,
  fields: Partial<RolloutRow> = {},
): RolloutRow {
  return {
    task_id,
    trial,
    rollout_id: '00000000-0000-8000-8000-000000000000',
    status: 'done',
    ending: 'user_stop',
    reward,
    reason: '',
    metrics: {},
    error: null,
    user_fault: null,
    user_turns: 1,
    agent_turns: 3,
    tool_calls: 2,
    tool_calls_failed: 0,
    lm_calls: 4,
    usage: { input_tokens: 10, output_tokens: 5 },
    cost_usd: 0.01,
    database: `runs/${task_id}/roll_x.db`,
    content_hash: 'hash',
    started_at: '2026-01-31T23:59:59.120Z',
    seconds: 5,
    ...fields,
  };
}

/** Returns the sums of an evaluation without calls. */
export const noCalls = () => ({ tally: new CallTally(), unrecorded: null });
