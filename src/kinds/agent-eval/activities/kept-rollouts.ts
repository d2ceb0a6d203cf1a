import { wallSecondsBefore } from '../../../activities/end-experiment.js';
import { paidBefore } from '../../../activities/paid-calls.js';
import { addStep } from '../../../runtime/step-cost.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { keysBelow, readAhead } from '../../../storage/read-ahead.js';
import { isRetried, readRetry } from '../../../storage/retry-marker.js';
import type { AgentEvalTotals, RolloutTask } from '../contracts.js';
import { rolloutsFolder } from '../paths.js';
import { addRollout, noAgentEvalTotals } from '../rollouts/totals.js';
import { everyRollout } from './rollout-names.js';
import { RolloutResults } from './rollout-results.js';
import { HUMAN } from './user-turn.js';

export interface KeptRollouts {
  /** Finished rollouts, as `row/rollout`. */
  finished: string[];
  totals: AgentEvalTotals;
  /** Working time of earlier executions, in seconds. */
  wall_seconds: number;
}

/**
 * Finds what a continued evaluation need not repeat: every rollout that has ended. One with an error that is to be
 * retried continues from where the error occurred.
 */
export async function keptRollouts(
  store: ArtifactStore,
  tasks: readonly RolloutTask[],
  execution: string,
): Promise<KeptRollouts> {
  const wall_seconds = await wallSecondsBefore(store);
  const kept: KeptRollouts = { finished: [], totals: noAgentEvalTotals(), wall_seconds };
  const results = new RolloutResults(store);
  const retry = await readRetry(store);
  const isFresh = (await keysBelow(store, `${rolloutsFolder()}/`)).length === 0;
  const rollouts = isFresh ? [] : everyRollout(tasks);
  for await (const found of readAhead(rollouts, (rollout) => results.find(rollout))) {
    if (found === null) continue;
    const { task_id, trial, status, ending, reward: score, error } = found.row;
    if (status === 'error' && isRetried(retry, error?.type ?? '')) continue;
    kept.finished.push(`${task_id}/${trial}`);
    kept.totals = addRollout(kept.totals, { status, ending, score, error, totals: found.row, fatal: null });
  }
  const finished = new Set(kept.finished);
  const others = await paidBefore(store, execution, {
    record: ({ sample_id, trial, model }) => model === HUMAN || finished.has(`${sample_id}/${trial}`),
  });
  kept.totals = addStep(kept.totals, others.cost);
  return kept;
}
