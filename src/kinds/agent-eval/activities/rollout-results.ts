import { keepFirst } from '../../../activities/first-record.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { readJson } from '../../../storage/stored-file.js';
import type { RolloutRow } from '../contracts.js';
import { rolloutResultKey } from '../paths.js';
import type { NamedRollout } from './rollout-names.js';

/** Result of a rollout and the execution that produced it; a later execution replaces it when it retries an error. */
export interface StoredResult {
  execution: string;
  row: RolloutRow;
}

/** Results of rollouts, one object each, kept until the evaluation is done. */
export class RolloutResults {
  constructor(private readonly store: ArtifactStore) {}

  find({ row, rollout }: NamedRollout): Promise<StoredResult | null> {
    return readJson<StoredResult>(this.store, rolloutResultKey(row, rollout));
  }

  /** Stores a result, unless the same execution has stored one. @returns the stored one */
  save(result: StoredResult): Promise<StoredResult> {
    const { task_id, trial } = result.row;
    const place = rolloutResultKey(task_id, trial);
    return keepFirst(this.store, place, { record: result, keyOf: ({ execution }) => execution });
  }
}
