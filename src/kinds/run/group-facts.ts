import { type Fact, type LineValue, tableFacts } from '../../facts/fact.js';
import { estimateCells, UNCERTAINTY_HEADS } from '../../facts/uncertainty.js';
import { countedText } from '../../statistics/figure-text.js';
import { otherGroups } from './other-groups.js';
import type { Metrics, OtherGroups, SampleFigures } from './results.js';

type Group = readonly [name: string, figures: SampleFigures];

const count = (number: number): LineValue => ({ kind: 'count', count: number });

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
    const all = Object.entries(figures);
    const [listed, left] = largest(all, maxGroups);
    const others = otherGroups(
      left.map(([, figures]) => figures),
      by_others[field],
    );
    const areRewards = all.some(([, { accuracy, mean_reward }]) => accuracy !== mean_reward);
    return [
      ...accuracyTable(field, listed, others),
      ...(areRewards ? rewardTable(field, listed, others) : []),
    ];
  });
}

/** Divides groups into those with the most samples, in their order, and the others. */
function largest(groups: readonly Group[], maxGroups: number): [listed: Group[], left: Group[]] {
  const bySize = [...groups].sort(([, left], [, right]) => right.samples - left.samples);
  const largestOnes = new Set(bySize.slice(0, maxGroups));
  return [groups.filter((group) => largestOnes.has(group)), bySize.slice(maxGroups)];
}

/** Name of the row of groups that are not listed. */
const othersText = ({ groups }: OtherGroups) => `${countedText(groups, 'other')}`;

function accuracyTable(field: string, groups: readonly Group[], others: OtherGroups): Fact[] {
  const hasErrors = [...groups.map(([, figures]) => figures), others].some(({ errors }) => errors > 0);
  const counts = ({ samples, errors }: Pick<SampleFigures, 'samples' | 'errors'>): LineValue[] => [
    count(samples),
    ...(hasErrors ? [count(errors)] : []),
  ];
  const rows = groups.map(([name, figures]): LineValue[] => [
    { kind: 'text', text: name },
    ...counts(figures),
    ...estimateCells({
      kind: 'rate',
      rate: figures.accuracy,
      stderr: figures.accuracy_stderr,
      interval: figures.accuracy_interval,
    }),
  ]);
  if (others.groups > 0) {
    const judged = others.samples - others.errors;
    const rate = judged === 0 ? null : others.correct / judged;
    const name: LineValue = { kind: 'text', text: othersText(others) };
    rows.push([name, ...counts(others), ...estimateCells({ kind: 'rate', rate })]);
  }
  const head = [field, 'samples', ...(hasErrors ? ['errors'] : []), 'accuracy', ...UNCERTAINTY_HEADS];
  return tableFacts(`by:${field}`, { head, rows }, { label: `accuracy by ${field}` });
}

function rewardTable(field: string, groups: readonly Group[], others: OtherGroups): Fact[] {
  const rows = groups.map(([name, figures]): LineValue[] => [
    { kind: 'text', text: name },
    ...estimateCells({
      kind: 'score',
      score: figures.mean_reward,
      stderr: figures.mean_reward_stderr,
      interval: figures.mean_reward_interval,
    }),
  ]);
  const head = [field, 'mean reward', ...UNCERTAINTY_HEADS];
  const notes = others.groups === 0 ? [] : [`Without ${othersText(others)}.`];
  return tableFacts(`mean_reward_by:${field}`, { head, rows, notes }, { label: `mean reward by ${field}` });
}
