import type { Fact } from '../../facts/fact.js';
import { type GroupRow, groupTable } from '../../facts/group-table.js';
import { countedText } from '../../statistics/figure-text.js';
import { largestGroups } from '../../statistics/groups.js';
import { otherGroups } from './other-groups.js';
import type { Metrics, OtherGroups, SampleFigures } from './results.js';

type Group = readonly [name: string, figures: SampleFigures];

/** Name of the row of groups that are not listed. */
const othersText = ({ groups }: OtherGroups) => countedText(groups, 'other');

/**
 * Returns tables of the figures by the values of each field of `metrics.by`: of the accuracy, and of the mean reward
 * where that is another figure.
 * @param maxGroups groups of a field that are listed, those with the most samples; the others are summed in one row
 */
export function groupFacts(
  { by = {}, by_others = {} }: Pick<Metrics, 'by' | 'by_others'>,
  maxGroups: number,
): Fact[] {
  return Object.entries(by).flatMap(([field, figures]) => {
    const all: Group[] = Object.entries(figures);
    const [listed, left] = largestGroups(all, maxGroups, ([, { samples }]) => samples);
    const others = otherGroups(
      left.map(([, group]) => group),
      by_others[field],
    );
    const hasRewards = all.some(([, { accuracy, mean_reward }]) => accuracy !== mean_reward);
    return [
      ...accuracyTable(field, listed, others),
      ...(hasRewards ? rewardTable(field, listed, others) : []),
      ...scoreTables(field, listed, others),
    ];
  });
}

function accuracyTable(field: string, groups: readonly Group[], others: OtherGroups): Fact[] {
  const rows = groups.map(([name, figures]): GroupRow => {
    const { samples, errors, accuracy, accuracy_stderr: stderr, accuracy_interval: interval } = figures;
    return { name, units: samples, errors, estimate: { kind: 'rate', rate: accuracy, stderr, interval } };
  });
  const { samples, errors, correct } = others;
  const rate = samples === errors ? null : correct / (samples - errors);
  const last: GroupRow = {
    name: othersText(others),
    units: samples,
    errors,
    estimate: { kind: 'rate', rate },
  };
  return groupTable(
    { id: `by:${field}`, label: `accuracy by ${field}`, heads: [field, 'samples', 'accuracy'] },
    others.groups === 0 ? rows : [...rows, last],
  );
}

/** Returns a table for each named score. */
function scoreTables(field: string, groups: readonly Group[], others: OtherGroups): Fact[] {
  const names = new Set(groups.flatMap(([, { scores = {} }]) => Object.keys(scores)));
  return [...names].flatMap((score) => {
    const rows = groups.flatMap(([name, { scores = {}, errors }]): GroupRow[] => {
      const { samples, mean, stderr, interval, is_share } = scores[score] ?? {};
      if (samples === undefined) return [];
      const spread = { stderr, interval };
      const estimate = is_share
        ? { kind: 'rate' as const, rate: mean ?? null, ...spread }
        : { kind: 'score' as const, score: mean ?? null, ...spread };
      return [{ name, units: samples, errors, estimate }];
    });
    return groupTable(
      {
        id: `score_by:${field}:${score}`,
        label: `${score} by ${field}`,
        heads: [field, 'samples', score],
        notes: others.groups === 0 ? [] : [`Without ${othersText(others)}.`],
      },
      rows,
    );
  });
}

function rewardTable(field: string, groups: readonly Group[], others: OtherGroups): Fact[] {
  const rows = groups.map(([name, figures]): GroupRow => {
    const { samples, errors, mean_reward: score } = figures;
    const { mean_reward_stderr: stderr, mean_reward_interval: interval } = figures;
    return { name, units: samples, errors, estimate: { kind: 'score', score, stderr, interval } };
  });
  return groupTable(
    {
      id: `mean_reward_by:${field}`,
      label: `mean reward by ${field}`,
      heads: [field, 'samples', 'mean reward'],
      notes: others.groups === 0 ? [] : [`Without ${othersText(others)}.`],
    },
    rows,
  );
}
