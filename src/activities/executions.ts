import { Context } from '@temporalio/activity';
import type { ExecuteCodeInput, ExecutionActivities } from '../contracts/activities.js';
import type { ExecutionResult } from '../contracts/execution.js';
import { AdaptiveLimit } from '../language-models/adaptive-limit.js';
import { executionKeyOf } from './call-key.js';
import { countingKills } from './counting-kills.js';
import type { WorkerDependencies } from './dependencies.js';
import { executionRecordOf, programOf, resultOf } from './execution-record.js';
import { held } from './patiently.js';
import type { RunContext, RunContexts } from './run-context.js';

/**
 * Runs programs in the sandbox. A finished execution is never repeated: its result is stored before the activity
 * completes, and every attempt looks there first. A sandbox that fails is tried again and never counts as the program's
 * failure.
 */
export function createExecutionActivities(
  runs: RunContexts,
  dependencies: WorkerDependencies,
): ExecutionActivities {
  const slots = new AdaptiveLimit({ maximum: dependencies.maxConcurrentExecutions });

  async function runProgram(
    run: RunContext,
    { code, timeout_sec }: ExecuteCodeInput,
  ): Promise<ExecutionResult> {
    const { type, ...limits } = run.config.sandbox;
    const signal = Context.current().cancellationSignal;
    const sandbox = await dependencies.sandbox(type);
    const release = await slots.acquire(signal);
    try {
      return await sandbox.run(programOf(code), { limits: { ...limits, timeout_sec }, signal });
    } finally {
      release('success');
    }
  }

  return {
    executeCode: (input) =>
      countingKills(async () => {
        const run = await runs.get(input.run);
        const { sandbox } = run.config;
        const key = executionKeyOf(input.execution, input, sandbox);
        const stored = await run.executions.find(input.execution, key);
        if (stored !== null) return resultOf(stored);
        const result = await runProgram(run, input);
        const record = executionRecordOf(input.execution, input, sandbox, result);
        const kept = await held(() => run.executions.save(record), {
          log: dependencies.runLogs.for(run.store, run.config.output.log_level, 'sandbox'),
          dependencies,
          what: 'store a program’s result',
        });
        return resultOf(kept);
      }),
  };
}
