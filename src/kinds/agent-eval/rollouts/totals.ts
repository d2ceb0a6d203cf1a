import { addStep } from '../../../runtime/step-cost.js';
import { withErrors } from '../../../statistics/error-tally.js';
import { sumOf } from '../../../statistics/sums.js';
import type { AgentEvalTotals, RolloutResult, RolloutTotals } from '../contracts.js';

export function noRolloutTotals(): RolloutTotals {
  return {
    agent_turns: 0,
    tool_calls: 0,
    tool_calls_failed: 0,
    lm_calls: 0,
    usage: { input_tokens: 0, output_tokens: 0 },
    cost_usd: 0,
  };
}

export function noAgentEvalTotals(): AgentEvalTotals {
  return { ...noRolloutTotals(), rollouts: 0, reward: 0, errors: 0, user_faults: 0 };
}

/** Adds a rollout to a run's totals. A suspended one adds only its steps and costs. */
export function addRollout(
  totals: AgentEvalTotals,
  { status, score, error, totals: of }: RolloutResult,
): AgentEvalTotals {
  const after = addStep(totals, of);
  return {
    ...after,
    agent_turns: totals.agent_turns + of.agent_turns,
    tool_calls: totals.tool_calls + of.tool_calls,
    tool_calls_failed: totals.tool_calls_failed + of.tool_calls_failed,
    rollouts: totals.rollouts + Number(status === 'done'),
    reward: sumOf([totals.reward, status === 'done' ? (score ?? 0) : 0]),
    errors: totals.errors + Number(status === 'error'),
    ...(status === 'error' && error !== null
      ? { errors_by_type: withErrors(totals.errors_by_type, error.type) }
      : {}),
    user_faults: totals.user_faults + Number(status === 'user_fault'),
  };
}
