import {
  affordableResamples,
  boundsOf,
  type Cluster,
  clusteredBootstrap,
} from '../../statistics/clustered-bootstrap.js';
import type { Metrics } from './results.js';

/** Trial of a sample that determines whether the sample counts as correct. */
export type AccuracyOf = Metrics['accuracy_of'];

export function trialOfAccuracy(rules: { num_trials: number; early_stop_on_success: boolean }): AccuracyOf {
  if (rules.num_trials === 1) return 'only_trial';
  return rules.early_stop_on_success ? 'any_trial' : 'last_trial';
}

/**
 * Computes the mean over all judged trials, equally weighted, with a 95 % interval whose clusters are the samples.
 * @param samples number of judged trials of each sample, and how many of them succeeded
 */
export function meanOverTrials(
  samples: readonly Cluster[],
  seed: number,
): Pick<Metrics, 'mean_over_trials' | 'mean_over_trials_interval' | 'trials_judged'> {
  const mean = clusteredBootstrap(samples, { seed, resamples: affordableResamples(samples.length) });
  return {
    trials_judged: samples.reduce((sum, { count }) => sum + count, 0),
    mean_over_trials: mean?.estimate ?? null,
    mean_over_trials_interval: boundsOf(mean),
  };
}

/** Returns the trials of a figure, such as ` (last trial)`; empty if there is only one trial. */
export function ofTrialText(of: AccuracyOf | undefined): string {
  if (of === 'last_trial') return ' (last trial)';
  return of === 'any_trial' ? ' (any trial)' : '';
}
