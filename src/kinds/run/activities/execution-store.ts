import { executionHash } from '../../../activities/call-key.js';
import { keepFirst } from '../../../activities/first-record.js';
import type { ExecutionIdentity, ExecutionRecord } from '../../../contracts/execution.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { readJson } from '../../../storage/stored-file.js';
import { executionKey } from '../paths.js';

/** Store of a run's finished executions, one object each, until the run is done. */
export class ExecutionStore {
  constructor(private readonly store: ArtifactStore) {}

  /** Stores a result, unless the same program already has one. @returns the stored one. */
  save(record: ExecutionRecord): Promise<ExecutionRecord> {
    const place = executionKey(executionHash(record));
    return keepFirst(this.store, place, { record, keyOf: ({ key }) => key });
  }

  /** Returns the record of an execution, whatever its program was; null if there is none. */
  at(execution: ExecutionIdentity): Promise<ExecutionRecord | null> {
    return readJson<ExecutionRecord>(this.store, executionKey(executionHash(execution)));
  }

  /** Returns the record of exactly this execution: same identity, same key. */
  async find(execution: ExecutionIdentity, key: string): Promise<ExecutionRecord | null> {
    const stored = await this.at(execution);
    return stored?.key === key ? stored : null;
  }
}
