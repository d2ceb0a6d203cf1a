import {
  affordableResamples,
  boundsOf,
  type Cluster,
  clusteredBootstrap,
} from '../../statistics/clustered-bootstrap.js';
import type { Metrics } from './results.js';

/** Which of a sample's trials say whether it counts as correct. */
export type AccuracyOf = Metrics['accuracy_of'];

export function trialOfAccuracy(rules: { num_trials: number; early_stop_on_success: boolean }): AccuracyOf {
  if (rules.num_trials === 1) return 'only_trial';
  return rules.early_stop_on_success ? 'any_trial' : 'last_trial';
}

/**
 * The mean over all judged trials, each alike, with a 95 % interval whose clusters are the samples.
 * @param samples of each sample, how many trials were judged, and how many of these succeeded
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

/** What of the trials a figure is: ` (last trial)`; nothing where there is one trial only. */
export function ofTrialText(of: AccuracyOf | undefined): string {
  if (of === 'last_trial') return ' (last trial)';
  return of === 'any_trial' ? ' (any trial)' : '';
}
