import type { Metrics } from '../contracts/results.js';
import { affordableResamples, boundsOf, type Cluster, clusteredBootstrap } from './clustered-bootstrap.js';
import { countedText, percentText } from './figure-text.js';

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

/** Why there is no mean over trials: samples with a success have fewer, so that a mean would be of unlike things. */
export const NO_MEAN_OVER_TRIALS = 'a success ends the trials of its sample';

/** What of the trials a figure is: ` (last trial)`; nothing where there is one trial only. */
export function ofTrialText(of: AccuracyOf | undefined): string {
  if (of === 'last_trial') return ' (last trial)';
  return of === 'any_trial' ? ' (any trial)' : '';
}

/** The same of success by trial. A sample that is not tried again after a success keeps it. */
export function successByTrialName({ accuracy_of }: Pick<Metrics, 'accuracy_of'>): string {
  return accuracy_of === 'any_trial' ? 'success by trial (any so far)' : 'success by trial';
}

/** `95 % interval 20.0 % to 80.0 %`. */
export function intervalText(interval: readonly [number, number] | null | undefined): string {
  if (interval === null || interval === undefined) return 'no interval';
  const [lower, upper] = interval.map(percentText);
  return `95 % interval ${lower} to ${upper}`;
}

/** What success by trial and the mean over trials are, as rows of a table; none where there is one trial only. */
export function trialRows(metrics: Metrics): [name: string, text: string][] {
  if (metrics.success_by_trial.length < 2) return [];
  const shares = metrics.success_by_trial.map(
    (share, trial) => `trial ${trial + 1}: ${share === null ? '–' : percentText(share)}`,
  );
  const { mean_over_trials: mean, mean_over_trials_interval: interval, trials_judged: judged } = metrics;
  const text =
    mean === undefined || mean === null
      ? `–${mean === undefined ? ` (${NO_MEAN_OVER_TRIALS})` : ''}`
      : `${percentText(mean)} (${intervalText(interval)}; ${countedText(judged ?? 0, 'judged trial')})`;
  return [
    [successByTrialName(metrics), shares.join(', ')],
    ['mean over trials', text],
  ];
}
