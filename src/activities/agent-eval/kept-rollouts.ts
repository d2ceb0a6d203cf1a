import type { AgentEvalTotals, RolloutTask } from '../../contracts/agent-eval.js';
import { addRollout, noAgentEvalTotals } from '../../rollouts/totals.js';
import { addStep, costOfCall, costOfUnkept } from '../../runtime/step-cost.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { rolloutsFolder } from '../../storage/paths.js';
import { keysBelow, readAhead } from '../../storage/read-ahead.js';
import { isRetried, readRetry } from '../../storage/retry-marker.js';
import { wallSecondsBefore } from '../metrics-file.js';
import { setAsideCalls } from '../set-aside.js';
import { unkeptSoFar } from '../unkept.js';
import { everyRollout } from './rollout-names.js';
import { RolloutResults } from './rollout-results.js';

export interface KeptRollouts {
  /** `row/rollout` of those that are finished. */
  finished: string[];
  totals: AgentEvalTotals;
  /** Seconds that earlier executions worked. */
  wall_seconds: number;
}

/**
 * What a continued evaluation need not do again: every rollout that came to an end. An error is tried again, if it is
 * one of those that are, from where it came up.
 */
export async function keptRollouts(
  store: ArtifactStore,
  tasks: readonly RolloutTask[],
): Promise<KeptRollouts> {
  const wall_seconds = await wallSecondsBefore(store);
  const unkept = costOfUnkept(await unkeptSoFar(store));
  const kept: KeptRollouts = { finished: [], totals: addStep(noAgentEvalTotals(), unkept), wall_seconds };
  const present = await keysBelow(store, `${rolloutsFolder()}/`);
  if (present.length === 0) return kept;
  const results = new RolloutResults(store);
  const retry = await readRetry(store);
  for await (const call of setAsideCalls(store)) kept.totals = addStep(kept.totals, costOfCall(call));
  for await (const found of readAhead(everyRollout(tasks), (rollout) => results.find(rollout))) {
    if (found === null) continue;
    const { task_id, trial, status, ending, reward: score, error } = found.row;
    if (status === 'error' && isRetried(retry, error?.type ?? '')) continue;
    kept.finished.push(`${task_id}/${trial}`);
    kept.totals = addRollout(kept.totals, { status, ending, score, error, totals: found.row, fatal: null });
  }
  return kept;
}
