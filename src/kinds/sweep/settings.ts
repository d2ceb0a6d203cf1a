import type { ComparedExperiment } from '../../activities/compared-experiment.js';
import { addCosts } from '../../runtime/add-costs.js';
import { clusterNamed, compareExperiments, scoreNames } from '../../statistics/comparison.js';
import { groupBy } from '../../statistics/group-by.js';
import { fieldText } from '../../statistics/groups.js';
import { type ComparedSample, lastTrials } from '../../statistics/outcomes.js';
import { clusterKey } from '../../statistics/paired.js';
import { holm } from '../../statistics/paired-tests.js';
import { clusteredStderr } from '../../statistics/standard-error.js';
import { meanOf, sumOf } from '../../statistics/sums.js';
import type { CellRow, SettingDifference, SettingResult, SettingScore } from './contracts.js';

/** Cell with its samples; null where its kind has none, or it has no results. */
interface SettingCell {
  row: CellRow;
  samples: ComparedExperiment | null;
}

/** Samples of a setting by their ids. */
type Samples = Map<string, ComparedSample>;

/**
 * Returns the samples of the repeats of a setting, with the trials of all of them: of an experiment whose last trial
 * counts, that one.
 */
function pooled(cells: readonly SettingCell[]): Samples {
  const all = new Map<string, ComparedSample>();
  for (const { samples: experiment } of cells) {
    for (const sample of experiment?.samples.values() ?? []) {
      const { trials, ...rest } = sample;
      const counted = experiment?.figures[0] === 'last' ? lastTrials(trials) : trials;
      const one = all.get(sample.id) ?? { ...rest, trials: [] };
      one.trials.push(...counted);
      all.set(sample.id, one);
    }
  }
  return all;
}

/** Lists the scores of all settings, without a reward that is 0 and 1 in each where `correct` says wrong and right. */
function namesOf(settings: readonly Samples[]): string[] {
  const names = new Set(settings.flatMap((samples) => [...scoreNames({ samples })]));
  const trials = settings.flatMap((samples) => [...samples.values()].flatMap((sample) => sample.trials));
  if (trials.every(({ scores }) => scores === null || scores.reward === Number(scores.correct))) {
    names.delete('reward');
  }
  return [...names];
}

/**
 * Returns the scores of a setting: means over all judged trials, with standard errors clustered by sample, or by a field
 * of the metadata.
 */
function scoresOf(samples: Samples, names: readonly string[], cluster: string | null): SettingScore[] {
  return names.flatMap((score) => {
    const values = [...samples.values()].map(({ id, metadata, trials }) => ({
      cluster: clusterKey(cluster === null ? null : fieldText(cluster, [metadata]), id),
      trials: trials.map(({ scores }) => scores?.[score]).filter((value) => value !== undefined),
    }));
    const judged = values.filter(({ trials }) => trials.length > 0);
    if (judged.length === 0) return [];
    // Samples weigh the same, as in comparisons.
    const means = judged.map(({ trials }) => meanOf(trials.map(Number)));
    const clusters = [...groupBy([...means.keys()], (index) => judged[index]?.cluster).values()];
    return [
      {
        score,
        is_share: judged.every(({ trials }) => trials.every((value) => typeof value === 'boolean')),
        samples: judged.length,
        mean: meanOf(means),
        stderr: clusteredStderr(
          clusters.map((members) => sumOf(members.map((index) => means[index] as number))),
          clusters.map(({ length }) => length),
        ),
      },
    ];
  });
}

/** Adds up, by scorer, the samples without a score of a setting's cells; undefined if there are none. */
function unscoredOf(cells: readonly CellRow[]): SettingResult['unscored'] {
  const names = new Set(cells.flatMap(({ unscored = {} }) => Object.keys(unscored)));
  const of = sumOf(cells.map(({ judged = 0 }) => judged));
  const count = (name: string) => sumOf(cells.map(({ unscored }) => unscored?.[name] ?? 0));
  return names.size === 0
    ? undefined
    : Object.fromEntries([...names].map((name) => [name, { samples: count(name), of }]));
}

function differencesOf(
  [baseline, other]: readonly [Samples, Samples],
  names: readonly string[],
  cluster: string | null,
) {
  const figures = ['mean'] as const;
  // Each by itself: of several at once, one with the values of another would be left out.
  const scores = names.flatMap(
    (score) =>
      compareExperiments({ samples: baseline, figures }, { samples: other, figures }, { cluster, score })
        .scores,
  );
  return scores.map(
    ({ score, is_share, pairs, interval, test, ...figures }): SettingDifference => ({
      score,
      is_share,
      pairs,
      baseline: figures.baseline,
      other: figures.other,
      difference: figures.difference,
      stderr: figures.stderr,
      interval: interval === null ? null : [interval.lower, interval.upper],
      p_value: test?.p_value ?? null,
    }),
  );
}

/** Corrects the p-values of each score for the number of settings that are compared. */
function withHolm(settings: readonly SettingResult[]): void {
  const differences = settings.flatMap((setting) => setting.differences ?? []);
  for (const same of groupBy(differences, ({ score }) => score).values()) {
    const tested = same.filter(({ p_value }) => p_value !== null);
    if (tested.length < 2) continue;
    const corrected = holm(tested.map(({ p_value }) => p_value ?? 1));
    for (const [index, one] of tested.entries()) one.p_value_holm = corrected[index] as number;
  }
}

/** Returns the field whose values are the clusters of a sweep's samples; null if its cells name none that a sample has. */
export function clusterOfCells(cells: readonly SettingCell[]): string | null {
  const experiments = cells.flatMap(({ samples }) => samples ?? []);
  const field = clusterNamed(experiments.map(({ config }) => config));
  const hasField = ({ samples }: ComparedExperiment) =>
    [...samples.values()].some(({ metadata }) => field !== null && fieldText(field, [metadata]) !== null);
  return experiments.some(hasField) ? field : null;
}

/** Returns the results of each setting of a sweep, compared with the first one, sample by sample. */
export function settingsOf(cells: readonly SettingCell[], cluster = clusterOfCells(cells)): SettingResult[] {
  const groups = [...groupBy(cells, ({ row }) => JSON.stringify(row.settings)).values()];
  const samples = groups.map(pooled);
  const [first] = samples;
  const names = namesOf(samples);
  const settings = groups.map((group, index): SettingResult => {
    const own = samples[index] as Samples;
    const unscored = unscoredOf(group.map(({ row }) => row));
    const seconds = group.flatMap(({ row }) =>
      row.seconds_per_sample === null ? [] : [row.seconds_per_sample],
    );
    return {
      settings: group[0]?.row.settings ?? {},
      cells: group.map(({ row }) => row.name),
      scores: scoresOf(own, names, cluster),
      ...(unscored === undefined ? {} : { unscored }),
      ...(index > 0 &&
        first !== undefined &&
        own.size > 0 && { differences: differencesOf([first, own], names, cluster) }),
      cost_usd: group.reduce<number | null>((sum, { row }) => addCosts(sum, row.cost_usd), 0),
      seconds_per_sample: seconds.length === 0 ? null : sumOf(seconds) / seconds.length,
    };
  });
  withHolm(settings);
  return settings;
}
