import { executionKeyOf } from '../../../activities/call-key.js';
import type { SandboxConfig } from '../../../config/sandbox-schema.js';
import type { CodeRequest } from '../../../contracts/agent.js';
import type { ExecutionIdentity, ExecutionRecord, ExecutionResult } from '../../../contracts/execution.js';
import type { Program } from '../../../sandboxes/sandbox.js';

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
export function resultOf({
  status,
  stdout,
  stderr,
  exit_code,
  truncated,
  seconds,
}: ExecutionRecord): ExecutionResult {
  return { status, stdout, stderr, exit_code, truncated, seconds };
}
