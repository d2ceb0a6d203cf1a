import type { RolloutRow } from '../contracts/agent-eval.js';
import type { CallRecord } from '../contracts/language-model.js';
import { chatOf, offeredTools } from './from-episode.js';
import type { TimeStepData, TrajectoryData } from './schema.js';

/**
 * The trajectory of a rollout: each reply of the agent is a step, and the last one has the reward. Null where the agent
 * has said nothing, because a step needs a chat.
 * @param calls the agent's, in their order.
 */
export function rolloutTrajectory(
  { task_id, trial, reward, error }: Pick<RolloutRow, 'task_id' | 'trial' | 'reward' | 'error'>,
  calls: readonly CallRecord[],
  seed: number,
): TrajectoryData | null {
  if (calls.length === 0) return null;
  const last = calls.length - 1;
  const timesteps = calls.map(
    (call, index): TimeStepData => ({
      chats: [chatOf(call)],
      reward: reward === null ? null : index === last ? reward : 0,
      mc_return: null,
      done: index === last,
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
