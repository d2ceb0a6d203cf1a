import { percentText, pointsText, pValueText, scoreText } from '../statistics/figure-text.js';
import type { PairedComparison, PairedTest } from '../statistics/paired.js';

/** Formats values of one score, and their differences. */
interface ScoreTexts {
  value(value: number): string;
  difference(difference: number): string;
  /** Formats a bound of a difference's interval. */
  bound(bound: number): string;
}

const SHARES: ScoreTexts = {
  value: percentText,
  difference: pointsText,
  bound: (bound) => (bound * 100).toFixed(1),
};
const NUMBERS: ScoreTexts = {
  value: scoreText,
  difference: (difference) => `${difference > 0 ? '+' : ''}${scoreText(difference)}`,
  bound: scoreText,
};

export const textsOf = (isShare: boolean) => (isShare ? SHARES : NUMBERS);

/** Formats the share of an interval that contains the true value: `95 %`. */
const confidenceText = (confidence: number) => `${Number((confidence * 100).toFixed(6))} %`;

/** Names of the two sides of a comparison, of a few characters, and of what is paired. */
export interface PairWords {
  baseline: string;
  other: string;
  /** Singular, such as `sample`. */
  unit: string;
}

function intervalText(
  { pairs, clusters, interval }: PairedComparison,
  texts: ScoreTexts,
  { unit }: PairWords,
): string {
  if (interval === null) {
    if (clusters === 1) return 'no interval, of one cluster';
    return pairs === 1 ? `no interval, of one ${unit}` : 'no interval: all differences are equal';
  }
  const { lower, upper, confidence } = interval;
  return `${confidenceText(confidence)} interval ${texts.bound(lower)} to ${texts.bound(upper)}`;
}

/** Formats the name of a test, and whether its p-value is exact. */
function testText({ method, draws }: PairedTest): string {
  if (method === 'mcnemar') return 'McNemar’s exact test';
  return draws === null ? 'exact permutation test' : `permutation test, ${draws} draws`;
}

/**
 * Returns the rows of a table about a comparison with at least one pair.
 * @param holm the p-value, corrected for the number of comparisons; undefined: there is only one
 */
export function pairedRows(
  comparison: PairedComparison,
  words: PairWords,
  { isShare = false, holm }: { isShare?: boolean; holm?: number | undefined } = {},
): string[][] {
  const { baseline, other, difference, better, worse, equal, outcomes, test } = comparison;
  if (baseline === null || other === null || difference === null || test === null) return [];
  const texts = textsOf(isShare);
  const p = pValueText(test.p_value);
  return [
    [`${words.baseline}, ${words.other}`, `${texts.value(baseline)}, ${texts.value(other)}`],
    ['difference', `${texts.difference(difference)}, ${intervalText(comparison, texts, words)}`],
    outcomes === undefined
      ? ['better, worse, equal', `${better}, ${worse}, ${equal}`]
      : [
          `right: both, ${words.baseline}, ${words.other}, none`,
          `${outcomes.both}, ${outcomes.baseline_only}, ${outcomes.other_only}, ${outcomes.neither}`,
        ],
    [testText(test), holm === undefined ? `p = ${p}` : `p = ${pValueText(holm)} (Holm), ${p} alone`],
  ];
}

/** Returns the sentence about a comparison in which no sample was judged in both. */
export function noPairText({ unit }: PairWords): string {
  return `No ${unit} was judged in both: nothing can be compared.`;
}
