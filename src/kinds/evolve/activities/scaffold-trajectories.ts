import type { CallRecord } from '../../../contracts/language-model.js';
import { groupBy } from '../../../statistics/group-by.js';
import { chatOf, endOf, offeredTools } from '../../../trajectories/from-episode.js';
import type { TimeStepData, TrajectoryData } from '../../../trajectories/schema.js';
import type { LineageNode } from '../evolution/lineage.js';

/**
 * Yields one trajectory per scaffold: each try to write it is a step, or each turn of an agent's tries. The last step
 * is rewarded with the scaffold's newest validation score, or with 0 where no try gave a usable program, which is the
 * model's own failure and no error; such an episode, whose tries were used up, and that of a scaffold that was given up
 * are truncated. Calls by a running scaffold are left out.
 *
 * Writing a scaffold from scratch is one task, and evolving a given scaffold is another: the scaffolds of a task are
 * its trials, in the order of `nodes`, so that their scores can be compared with each other.
 */
export function* scaffoldTrajectories(
  nodes: readonly LineageNode[],
  calls: readonly CallRecord[],
  seed: number,
): Generator<TrajectoryData> {
  const tries = groupBy(
    calls.filter(({ purpose }) => purpose === 'generate' || purpose === 'evolve'),
    ({ sample_id }) => sample_id,
  );
  const trials = new Map<string, number>();
  for (const node of nodes) {
    const made = tries.get(node.id) ?? [];
    if (made.length === 0) continue;
    const task_id = taskOf(node);
    const trial = trials.get(task_id) ?? 0;
    trials.set(task_id, trial + 1);
    const timesteps = made.map(
      (call, index): TimeStepData => ({
        chats: [chatOf(call)],
        reward: index < made.length - 1 ? 0 : rewardOf(node),
        mc_return: null,
        ...endOf(index === made.length - 1, node.status === 'failed' || node.status === 'unscored'),
        available_tool_schemas: offeredTools([call]),
        advantage: null,
      }),
    );
    yield {
      timesteps,
      reset_kwargs: { task_id, trial, seed },
      error_info: null,
      episode_id: `${node.id}/0`,
      schema_version: 1,
    };
  }
}

function taskOf({ parent_scaffold_id: parent }: LineageNode): string {
  return parent === null ? 'generate' : `evolve ${parent}`;
}

/** Returns null where the scaffold was never validated, such as a duplicate. */
function rewardOf({ status, valid }: LineageNode): number | null {
  return status === 'failed' ? 0 : (valid.at(-1)?.score ?? null);
}
