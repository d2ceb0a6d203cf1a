import type { WorkflowHandle } from '@temporalio/client';
import type { Progress, RunResult } from '../contracts/run.js';
import { askProgress, QUERY_TIMEOUT, resultOf } from './follow.js';
import { withoutWorker } from './format.js';
import { runReport, runStanding } from './run-format.js';

/** What there is to say of an experiment: its result, or where it stands. */
export async function experimentText(
  handle: WorkflowHandle,
  { running, json }: { running: boolean; json: boolean },
): Promise<string> {
  const id = handle.workflowId;
  if (!running) {
    const result = await resultOf<RunResult>(handle);
    if (json) return JSON.stringify({ id, phase: result.metrics.status, ...result }, null, 2);
    return `${id}\n${runReport(result)}`;
  }
  const progress = await askProgress<Progress>(handle, QUERY_TIMEOUT);
  if (json) {
    return JSON.stringify({ id, phase: progress?.phase ?? 'waiting for a worker', progress }, null, 2);
  }
  return progress === null ? withoutWorker(id) : `${id}\n${runStanding(progress)}`;
}
