import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { executionKeyOf } from '../../../activities/call-key.js';
import { countingKills } from '../../../activities/counting-kills.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { held } from '../../../activities/patiently.js';
import { preparedSandbox, WARNING, warnOfProcess } from '../../../activities/prepare-sandbox.js';
import type { SandboxType } from '../../../config/sandbox-schema.js';
import type { ExecutionResult } from '../../../contracts/execution.js';
import { AdaptiveLimit } from '../../../language-models/adaptive-limit.js';
import type { Sandbox } from '../../../sandboxes/sandbox.js';
import { mayRunCode } from '../combinations.js';
import type { ExecuteCodeInput, ExecutionActivities } from '../contracts.js';
import type { RunConfig } from '../schema.js';
import { isPython } from '../scorers/own-scorer.js';
import { executionRecordOf, executionResult, programOf } from './execution-record.js';
import type { RunContext, RunContexts } from './run-context.js';

/**
 * Creates the activities that run programs in the sandbox. A finished execution is never repeated: its result is stored
 * before the activity completes, and every attempt looks for it first. A failure of the sandbox is retried and does not
 * count as the program's.
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
        if (stored !== null) return executionResult(stored);
        const result = await runProgram(run, input);
        const record = executionRecordOf(input.execution, input, sandbox, result);
        const kept = await held(() => run.executions.save(record), {
          log: dependencies.runLogs.for(run.store, run.config.output.log_level, 'sandbox'),
          dependencies,
          what: 'store a program’s result',
        });
        return executionResult(kept);
      }),
  };
}

/**
 * Makes sure that programs can run before the first call is paid. For a user's agent the sandbox is not prepared,
 * because the agent may never run code.
 * @throws InvalidInputError that says what to install, or what the other sandbox would mean.
 */
export async function prepareSandbox(
  config: RunConfig,
  { sandbox, notify }: { sandbox(type: SandboxType): Promise<Sandbox>; notify(message: string): void },
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const scores = Object.values(config.scorers).some((scorer) => scorer.type === 'code' && isPython(scorer));
  const { type } = config.sandbox;
  if (scores) await preparedSandbox(async () => (await sandbox(type)).prepare());
  if (!mayRunCode(config)) return;
  if (type === 'process') {
    warnOfProcess(notify);
    log.warn(WARNING);
  }
  if ('file' in config.agent) return;
  await preparedSandbox(async () => (await sandbox(type)).prepare());
}
