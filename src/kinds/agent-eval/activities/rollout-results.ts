import { keepFirst } from '../../../activities/first-record.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { readJson } from '../../../storage/stored-file.js';
import type { RolloutRow } from '../contracts.js';
import { rolloutResultKey } from '../paths.js';
import type { NamedRollout } from './rollout-names.js';

/** What a rollout came to, and in which execution: one that goes on after an error is another rollout's end. */
export interface StoredResult {
  execution: string;
  row: RolloutRow;
}

/** The results of rollouts, an object each, until the evaluation is done. */
export class RolloutResults {
  constructor(private readonly store: ArtifactStore) {}

  find({ row, rollout }: NamedRollout): Promise<StoredResult | null> {
    return readJson<StoredResult>(this.store, rolloutResultKey(row, rollout));
  }

  /** Stores a result, unless one of the same execution is there. @returns the one that is kept then. */
  save(result: StoredResult): Promise<StoredResult> {
    const { task_id, trial } = result.row;
    const place = rolloutResultKey(task_id, trial);
    return keepFirst(this.store, place, { record: result, keyOf: ({ execution }) => execution });
  }
}
