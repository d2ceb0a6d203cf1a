import { executionHash, executionKeyOf } from '../../../activities/call-key.js';
import { keepFirst } from '../../../activities/first-record.js';
import type { SandboxConfig } from '../../../config/sandbox-schema.js';
import type { CodeRequest } from '../../../contracts/agent.js';
import type { ExecutionIdentity, ExecutionRecord, ExecutionResult } from '../../../contracts/execution.js';
import type { Program } from '../../../sandboxes/sandbox.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { readJson } from '../../../storage/stored-file.js';
import { executionKey } from '../paths.js';

/** Returns the program of an agent: one file. */
export function programOf(code: string): Program {
  return { files: { 'main.py': code }, main: 'main.py' };
}

/** Builds the row of `executions.jsonl` for a finished program. */
export function executionRecordOf(
  { sample_id, trial, ordinal }: ExecutionIdentity,
  { code, timeout_sec }: CodeRequest,
  sandbox: SandboxConfig,
  result: ExecutionResult,
): ExecutionRecord {
  const execution = { sample_id, trial, ordinal };
  return {
    ...execution,
    key: executionKeyOf(execution, { code, timeout_sec }, sandbox),
    sandbox: sandbox.type,
    code,
    timeout_sec,
    ...result,
    at: new Date().toISOString(),
  };
}

/** Returns the result of a program, from its row. */
export function executionResult({
  status,
  stdout,
  stderr,
  exit_code,
  truncated,
  seconds,
}: ExecutionRecord): ExecutionResult {
  return { status, stdout, stderr, exit_code, truncated, seconds };
}

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
