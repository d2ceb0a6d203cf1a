import { ClusterSums } from '../../statistics/cluster-sums.js';
import { affordableResamples, boundsOf } from '../../statistics/clustered-bootstrap.js';
import { uncertaintyOf } from '../../statistics/uncertainty.js';
import type { Metrics } from './results.js';

/** Trial of a sample that determines whether the sample counts as correct. */
export type AccuracyOf = Metrics['accuracy_of'];

export function trialOfAccuracy(rules: { num_trials: number; early_stop_on_success: boolean }): AccuracyOf {
  if (rules.num_trials === 1) return 'only_trial';
  return rules.early_stop_on_success ? 'any_trial' : 'last_trial';
}

/** Outcome of an episode; `error` if it could not be judged. */
export type TrialOutcome = 'success' | 'failure' | 'error';

/** Sums of successes by trial. */
export class TrialSums {
  private readonly byTrial: ClusterSums[];
  private readonly correct: number[];
  /** Successes of all judged trials, each of which counts alike. */
  private readonly all = new ClusterSums();

  constructor(trials: number) {
    this.byTrial = Array.from({ length: trials }, () => new ClusterSums());
    this.correct = Array.from({ length: trials }, () => 0);
  }

  /** Adds a sample. @param outcomes by trial; those that a sample did not need are absent */
  add(cluster: string, outcomes: readonly (TrialOutcome | undefined)[]): void {
    let newest: TrialOutcome | undefined;
    for (const [trial, sums] of this.byTrial.entries()) {
      const outcome = outcomes[trial];
      if (outcome !== undefined && outcome !== 'error') this.all.add(cluster, Number(outcome === 'success'));
      // A sample that stopped early keeps its last outcome for the trials that it did not need.
      newest = outcome ?? newest;
      if (newest === undefined || newest === 'error') continue;
      sums.add(cluster, Number(newest === 'success'));
      if (newest === 'success') this.correct[trial] = (this.correct[trial] as number) + 1;
    }
  }

  successByTrial(
    seed: number,
  ): Pick<
    Metrics,
    'success_by_trial' | 'success_by_trial_stderr' | 'success_by_trial_interval' | 'correct_by_trial'
  > {
    const judged = this.byTrial.reduce((sum, { count }) => sum + count, 0);
    const resamples = affordableResamples(judged);
    const shares = this.byTrial.map((sums) => sums.interval({ seed, resamples, isShare: true }));
    return {
      success_by_trial: shares.map((share) => share?.estimate ?? null),
      success_by_trial_stderr: shares.map((share) => share?.stderr ?? null),
      success_by_trial_interval: shares.map(boundsOf),
      correct_by_trial: this.correct,
    };
  }

  /** Computes the mean over all judged trials, each alike; the clusters of its interval are the samples. */
  meanOverTrials(
    seed: number,
  ): Pick<
    Metrics,
    'trials_judged' | 'mean_over_trials' | 'mean_over_trials_stderr' | 'mean_over_trials_interval'
  > {
    const mean = this.all.interval({ seed, isShare: true });
    return {
      trials_judged: this.all.count,
      mean_over_trials: mean?.estimate ?? null,
      ...uncertaintyOf('mean_over_trials', mean),
    };
  }
}

/** Returns the trials of a figure, such as ` (last trial)`; empty if there is only one trial. */
export function ofTrialText(of: AccuracyOf | undefined): string {
  if (of === 'last_trial') return ' (last trial)';
  return of === 'any_trial' ? ' (any trial)' : '';
}
