import { executionHash } from '../../../activities/call-key.js';
import { keepFirst } from '../../../activities/first-record.js';
import type { ExecutionIdentity, ExecutionRecord } from '../../../contracts/execution.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { readJson } from '../../../storage/stored-file.js';
import { executionKey } from '../paths.js';

/** A run's finished executions, one object each, until the run is done. A finished one is never run again. */
export class ExecutionStore {
  constructor(private readonly store: ArtifactStore) {}

  /** Stores a result, unless one of the same program is there. @returns the one that is kept then. */
  save(record: ExecutionRecord): Promise<ExecutionRecord> {
    const place = executionKey(executionHash(record));
    return keepFirst(this.store, place, { record, keyOf: ({ key }) => key });
  }

  /** The record at an execution's place, whatever was run; null where there is none. */
  at(execution: ExecutionIdentity): Promise<ExecutionRecord | null> {
    return readJson<ExecutionRecord>(this.store, executionKey(executionHash(execution)));
  }

  /** The record of exactly this execution: same place, same key. */
  async find(execution: ExecutionIdentity, key: string): Promise<ExecutionRecord | null> {
    const stored = await this.at(execution);
    return stored?.key === key ? stored : null;
  }
}
