import { executionHash } from '../activities/call-key.js';
import { executionRecordOf, programOf } from '../activities/execution-record.js';
import type { SandboxConfig } from '../config/sandbox-schema.js';
import type { CodeRequest } from '../contracts/agent.js';
import type { ExecutionIdentity, ExecutionRecord, ExecutionResult } from '../contracts/execution.js';
import type { EpisodeRecord } from '../contracts/results.js';
import { type Sandbox, SandboxError } from '../sandboxes/sandbox.js';
import { FatalRunError } from './failures.js';

/** Runs a run's programs and keeps their records, without an activity around them. */
export class ProgramRunner {
  /** Finished programs of episodes that are not recorded yet, by the hash of their identity. */
  private readonly open = new Map<string, ExecutionRecord>();

  constructor(
    private readonly config: SandboxConfig,
    private readonly sandbox: () => Promise<Sandbox>,
  ) {}

  /** @throws FatalRunError where every other program would fail to run as well. */
  async run(execution: ExecutionIdentity, request: CodeRequest): Promise<ExecutionResult> {
    const { type: _type, ...limits } = this.config;
    try {
      const sandbox = await this.sandbox();
      const result = await sandbox.run(programOf(request.code), {
        limits: { ...limits, timeout_sec: request.timeout_sec },
      });
      this.open.set(executionHash(execution), executionRecordOf(execution, request, this.config, result));
      return result;
    } catch (error) {
      if (error instanceof SandboxError && !error.retryable) throw new FatalRunError(error.message);
      throw error;
    }
  }

  /** Hands over the records of an episode; one whose sandbox failed has none. */
  take({ sample_id, trial, executions = 0 }: EpisodeRecord): ExecutionRecord[] {
    return Array.from({ length: executions }).flatMap((_, ordinal) => {
      const name = executionHash({ sample_id, trial, ordinal });
      const record = this.open.get(name);
      this.open.delete(name);
      return record === undefined ? [] : [record];
    });
  }

  /** Programs of no finished episode. In the order in which a durable run lists them. */
  loose(): ExecutionRecord[] {
    return [...this.open].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, record]) => record);
  }
}
