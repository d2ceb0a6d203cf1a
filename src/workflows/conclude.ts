import { ApplicationFailure, allHandlersFinished, CancellationScope, condition } from '@temporalio/workflow';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { RunStatus } from '../contracts/results.js';
import type { RunPhase } from '../contracts/run.js';

/** How an experiment ended. */
export interface Outcome {
  status: RunStatus;
  message: string | null;
}

interface Concluded<Metrics> {
  outcome(cancelled: boolean): Outcome;
  setPhase(phase: RunPhase): void;
  finish(metrics: Metrics): void;
}

/**
 * Writes the artifacts of an experiment, however it ended, and ends its workflow in the same way.
 * @param ended `cancellation` is what cut the work off, undefined where nothing did; `what` names it in a failure
 * @throws the cancellation, or a failure that carries the result where the experiment failed.
 */
export function conclude<Metrics>(
  control: Concluded<Metrics>,
  { cancellation, artifacts, what }: { cancellation: unknown; artifacts: string; what: string },
  write: (outcome: Outcome) => Promise<Metrics>,
): Promise<{ artifacts: string; metrics: Metrics }> {
  return CancellationScope.nonCancellable(async () => {
    const outcome = control.outcome(cancellation !== undefined);
    control.setPhase('writing');
    const metrics = await write(outcome);
    control.finish(metrics);
    await condition(allHandlersFinished);
    if (cancellation !== undefined) throw cancellation;
    const result = { artifacts, metrics };
    if (outcome.status !== 'failed') return result;
    throw ApplicationFailure.create({
      message: outcome.message ?? `the ${what} failed`,
      type: FAILURE_TYPES.runFailed,
      nonRetryable: true,
      details: [result],
    });
  });
}
