import type { CallRecord } from '../../contracts/language-model.js';
import { chatOf, endOf, offeredTools } from '../../trajectories/from-episode.js';
import type { TimeStepData, TrajectoryData } from '../../trajectories/schema.js';
import type { RolloutEnding, RolloutRow } from './contracts.js';

/** Endings that truncate a rollout: an error (null), a limit of turns or of a reply's tokens, or a faulty user. */
const CUT: readonly (RolloutEnding | null)[] = [null, 'max_turns', 'cut_off', 'user_fault'];

/**
 * Builds the trajectory of a rollout: each reply of the agent is a step, and the last one has the reward. Returns null
 * if the agent has not replied, because a step needs a chat.
 * @param calls the agent's, in order.
 */
export function rolloutTrajectory(
  {
    task_id,
    trial,
    reward,
    error,
    ending,
  }: Pick<RolloutRow, 'task_id' | 'trial' | 'reward' | 'error' | 'ending'>,
  calls: readonly CallRecord[],
  seed: number,
): TrajectoryData | null {
  // A request that was refused for the length of its chat is no step of the agent's.
  const made = calls.filter(({ context_full }) => context_full === undefined);
  if (made.length === 0) return null;
  const last = made.length - 1;
  const timesteps = made.map(
    (call, index): TimeStepData => ({
      chats: [chatOf(call)],
      reward: reward === null ? null : index === last ? reward : 0,
      mc_return: null,
      ...endOf(index === last, CUT.includes(ending)),
      available_tool_schemas: offeredTools([call]),
      advantage: null,
    }),
  );
  return {
    timesteps,
    reset_kwargs: { task_id, trial, seed },
    error_info: error === null ? null : { error_type: error.type, message: error.message, traceback: '' },
    episode_id: `${task_id}/${trial}`,
    schema_version: 1,
  };
}
