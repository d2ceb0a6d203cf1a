import type { BundleRow } from '../bundles/contracts.js';
import type { RolloutRules } from './rollout.js';

/**
 * Returns the rules of a row's rollouts.
 * @param has_user true if somebody answers the agent; default: if the row describes a simulated user.
 */
export function rolloutRules(
  row: Pick<BundleRow, 'initial_messages' | 'sim_user_prompt' | 'max_turns' | 'stop_at_goal'>,
  has_user = row.sim_user_prompt !== null,
): RolloutRules {
  return {
    max_turns: row.max_turns,
    has_user,
    user_begins: has_user && !['user', 'tool'].includes(row.initial_messages.at(-1)?.role ?? ''),
    stops_at_goal: row.stop_at_goal,
  };
}
