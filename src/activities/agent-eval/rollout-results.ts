import type { RolloutRow } from '../../contracts/agent-eval.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { rolloutResultKey, rolloutTrajectoryKey } from '../../storage/paths.js';
import type { TrajectoryData } from '../../trajectories/schema.js';
import type { NamedRollout } from './rollout-names.js';

/** What a rollout came to, and in which execution: one that goes on after an error is another rollout's end. */
export interface StoredResult {
  execution: string;
  row: RolloutRow;
}

/** The results of rollouts, an object each, until the evaluation is done. */
export class RolloutResults {
  constructor(private readonly store: ArtifactStore) {}

  async find({ row, rollout }: NamedRollout): Promise<StoredResult | null> {
    const text = await this.store.readText(rolloutResultKey(row, rollout));
    return text === null ? null : (JSON.parse(text) as StoredResult);
  }

  /** The trajectory comes first: where there is a result, nothing of it is missing. */
  async save(result: StoredResult, trajectory: TrajectoryData | null): Promise<void> {
    const { task_id, trial } = result.row;
    const key = rolloutTrajectoryKey(task_id, trial);
    if (trajectory === null) await this.store.delete([key]);
    else await this.store.write(key, JSON.stringify(trajectory));
    await this.store.write(rolloutResultKey(task_id, trial), JSON.stringify(result));
  }

  /** The line of `trajectories.jsonl`. */
  async trajectory({ row, rollout }: NamedRollout): Promise<TrajectoryData | null> {
    const text = await this.store.readText(rolloutTrajectoryKey(row, rollout));
    return text === null ? null : (JSON.parse(text) as TrajectoryData);
  }
}
