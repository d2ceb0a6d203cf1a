import type { ChatMessage } from '../../../contracts/language-model.js';
import { SqliteDatabase } from '../../../databases/sqlite-database.js';
import { imageReader } from '../../../storage/image-reader.js';
import { setImageReader } from '../../../trajectories/images.js';
import { Trajectory } from '../../../trajectories/trajectory.js';
import type { BundleRow } from './contracts.js';
import type { Reward, RewardOutput } from './reward.js';

// A reward may look at the images of its trajectory.
setImageReader(imageReader);

/** End of a rollout, with databases as bytes. */
export interface RolloutEnd {
  row: BundleRow;
  messages: ChatMessage[];
  seed: Uint8Array;
  database: Uint8Array;
  /** Default: one step that holds the whole conversation. */
  trajectory?: Trajectory;
}

/**
 * Runs the reward on copies of the databases: nothing that it writes is kept.
 * @throws RewardError, or an infrastructure error.
 */
export async function runReward(reward: Reward, end: RolloutEnd): Promise<RewardOutput> {
  const { row, messages } = end;
  const options = { now: Date.parse(row.now), seed: `${row.id}/reward` };
  const db = await SqliteDatabase.open(end.database, options);
  try {
    const seed = await SqliteDatabase.open(end.seed, { ...options, readOnly: true });
    try {
      return await reward({
        messages,
        db,
        seed,
        row,
        trajectory: end.trajectory ?? conversation(row, messages),
      });
    } finally {
      seed.close();
    }
  } finally {
    db.close();
  }
}

function conversation({ id }: BundleRow, messages: ChatMessage[]): Trajectory {
  return new Trajectory({
    timesteps: [{ chats: [{ messages }], done: true }],
    reset_kwargs: { task_id: id },
    episode_id: id,
  });
}
