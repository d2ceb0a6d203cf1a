import wrapAnsi from 'wrap-ansi';
import type { Comparison, ShownComparison, ShownExperiment } from '../client/compare.js';
import { lastTurnOf } from '../contracts/conversation.js';
import { printable } from '../contracts/printable.js';
import type { Change, GroupComparison, ScoreComparison } from '../statistics/comparison.js';
import { countedText, dollarsText, pointsText, pValueText } from '../statistics/figure-text.js';
import { shownAddress } from '../storage/shown-address.js';

import { beginningOf, headedTable } from './format.js';
import { noPairText, type PairWords, pairedRows, textsOf } from './paired-text.js';

/** Columns of the terminal that everything fits into; each column of a table takes three beside its text. */
const COLUMNS = 80;
/** Widest line of the values in a table of names and values, whose names take up to 25 columns. */
const VALUE_COLUMNS = 48;
const GROUPS_LISTED = 20;
const CHANGES_LISTED = 10;
const NAMES_LISTED = 5;

interface TextOptions {
  /** True to list every changed sample and every group. */
  all: boolean;
  /** Fields that are meant to differ. */
  vary: readonly string[];
}

/** Formats a comparison for people. */
export function comparisonText(
  { experiments, comparisons, corrected_for }: Comparison,
  options: TextOptions,
): string {
  const [baseline] = experiments as [ShownExperiment, ...ShownExperiment[]];
  const remarks = [
    ...methodNotes(comparisons, corrected_for),
    ...experiments.flatMap(experimentWarnings),
    ...comparisons.flatMap((one) => comparisonWarnings(one, baseline, experiments, options.vary)),
  ];
  return [
    ...experiments.map(legend),
    costTable(experiments),
    ...comparisons.flatMap((one) => [
      '',
      `${one.letter} against ${baseline.letter}, paired by sample`,
      ...scoreTexts(one, baseline.letter, options),
      ...differenceTexts(one, baseline.letter),
    ]),
    '',
    ...remarks.map((text) => wrapAnsi(printable(text), COLUMNS)),
  ].join('\n');
}

/** Returns a sentence for each experiment that is worse than allowed. */
export function worseText({ experiments, comparisons }: Comparison, margin: number): string[] {
  const [baseline] = experiments;
  return comparisons
    .filter(({ failed }) => failed === true)
    .map(({ letter, experiment, scores: [score] }) => {
      const name = `${letter} (${experiment})`;
      if (score === undefined || score.difference === null) {
        return `${name}: no sample has the score in both, so --fail-if-worse cannot be answered.`;
      }
      const decline = score.is_share
        ? pointsText(-score.difference).slice(1)
        : textsOf(false).value(-score.difference);
      return `${name} is worse than A (${baseline?.experiment}) by ${decline} of ${scoreName(score)}, more than --fail-if-worse ${margin}.`;
    });
}

function legend({ letter, experiment, artifacts }: ShownExperiment, index: number): string {
  return `${letter}  ${experiment}${index === 0 ? ', the baseline' : ''}: ${shownAddress(artifacts)}`;
}

function costTable(experiments: readonly ShownExperiment[]): string {
  const rows = experiments.map(({ letter, samples, not_judged, costs }) => [
    letter,
    String(samples),
    String(not_judged),
    String(costs.lm_calls),
    String(costs.usage.input_tokens),
    String(costs.usage.output_tokens),
    costs.cost_usd === null ? 'unknown' : dollarsText(costs.cost_usd),
    costs.seconds_per_sample === null ? '–' : costs.seconds_per_sample.toFixed(1),
  ]);
  const head = ['', 'samples', 'unjudged', 'calls', 'tokens in', 'out', 'cost', 's/sample'];
  return headedTable(head, rows);
}

const TRIALS = { only: '', mean: ', mean over trials', last: ', last trial' } as const;

const scoreName = ({ score, trials }: ScoreComparison) => `${score}${TRIALS[trials]}`;

function scoreTexts(comparison: ShownComparison, baseline: string, options: TextOptions): string[] {
  const words: PairWords = { baseline, other: comparison.letter, unit: 'sample' };
  const same = Object.entries(comparison.same_scores).map(
    ([score, as]) => `${score} is the same as ${as} in every sample.`,
  );
  const scores = comparison.scores.flatMap((score, index) => {
    if (score.pairs === 0) return [`${scoreName(score)}: ${noPairText(words)}`];
    const { is_share: isShare, p_value_holm: holm } = score;
    const rows = [
      ['samples', pairsText(comparison, score, words)],
      ...pairedRows(score, words, { isShare, holm }),
    ];
    return [
      beginningOf(scoreName(score), COLUMNS),
      headedTable([], rows, VALUE_COLUMNS),
      ...Object.entries(score.by).map(([field, groups]) =>
        groupTable(field, groups, { score, words, options }),
      ),
      // The first score is the one that people look at.
      ...(index === 0 ? changeTexts(score, words, options.all) : []),
    ];
  });
  if (scores.length === 0) return ['No sample has a score in both: nothing can be compared.'];
  return [...scores, ...same];
}

/** Formats the number of pairs, and why other samples are none. */
function pairsText(
  { samples }: ShownComparison,
  { pairs, not_judged }: ScoreComparison,
  { baseline, other }: PairWords,
): string {
  const left = [
    [samples.baseline_only, `in ${baseline} only`],
    [samples.other_only, `in ${other} only`],
    [not_judged.baseline, `not judged in ${baseline}`],
    [not_judged.other, `not judged in ${other}`],
    [not_judged.both, 'judged in neither'],
  ] as const;
  const counted = left.filter(([count]) => count > 0).map(([count, why]) => `${count} ${why}`);
  return counted.length === 0 ? `${pairs}` : `${pairs}; left out: ${counted.join(', ')}`;
}

function groupTable(
  field: string,
  groups: readonly GroupComparison[],
  { score, words, options }: { score: ScoreComparison; words: PairWords; options: TextOptions },
): string {
  const texts = textsOf(score.is_share);
  const shown = options.all ? groups : groups.slice(0, GROUPS_LISTED);
  const rows = shown.map(({ group, pairs, baseline, other, difference, interval, test }) => {
    const name = group === null ? '(none)' : beginningOf(group, 16);
    if (baseline === null || other === null || difference === null) return [name, '0', '–', '–', '–', '–'];
    const bounds =
      interval === null ? '' : ` [${texts.bound(interval.lower)}, ${texts.bound(interval.upper)}]`;
    return [
      name,
      String(pairs),
      texts.value(baseline),
      texts.value(other),
      `${texts.difference(difference).replace(' points', '')}${bounds}`,
      test === null ? '–' : pValueText(test.p_value),
    ];
  });
  const unit = score.is_share ? 'points [95 %]' : 'difference [95 %]';
  const head = [beginningOf(field, 16), 'pairs', words.baseline, words.other, unit, 'p'];
  return withRest(headedTable(head, rows), groups.length - shown.length, 'group');
}

/** @param what a singular, such as `sample` */
function withRest(table: string, left: number, what: string): string {
  return left === 0 ? table : `${table}\n… and ${countedText(left, `more ${what}`)}; --all lists all`;
}

function changeTexts(score: ScoreComparison, { baseline, other }: PairWords, all: boolean): string[] {
  const { better, worse } = score.changes;
  const isOutcome = score.outcomes !== undefined;
  const lists = [
    [isOutcome ? `Newly right in ${other}` : `Better in ${other}`, better],
    [isOutcome ? `Newly wrong in ${other}` : `Worse in ${other}`, worse],
  ] as const;
  if (better.length + worse.length === 0) return ['No sample has changed.'];
  return lists
    .filter(([, changes]) => changes.length > 0)
    .map(([title, changes]) => {
      const shown = all ? changes : changes.slice(0, CHANGES_LISTED);
      const rows = shown.map((change) => changeRow(change, score));
      const table = headedTable(['sample', 'question', baseline, other], rows);
      return withRest(`${title} (${changes.length}):\n${table}`, changes.length - shown.length, 'sample');
    });
}

/** Returns id, question and both answers; both values where these are no plain right and wrong. */
function changeRow({ id, question, baseline, other }: Change, score: ScoreComparison): string[] {
  const isOutcome = score.outcomes !== undefined;
  const texts = textsOf(score.is_share);
  const cell = ({ value, answers }: Change['baseline']) =>
    isOutcome ? beginningOf(answers[0] ?? '–', 13) : texts.value(value);
  return [
    beginningOf(id, 14),
    beginningOf(question === null ? '–' : lastTurnOf(question), isOutcome ? 26 : 36),
    cell(baseline),
    cell(other),
  ];
}

const FIELD_COLUMNS = 26;
const SETTING_COLUMNS = 21;

/** Formats the fields in which the configs differ. */
function differenceTexts({ differences, letter }: ShownComparison, baseline: string): string[] {
  if (differences.length === 0) return ['The configs differ in nothing that affects results.'];
  const rows = differences.map(({ field, baseline: left, other: right }) => {
    const [before, after] = [settingText(left), settingText(right)];
    const common = commonLength(before, after);
    const shown = (text: string) =>
      beginningOf(common === 0 ? text : `…${text.slice(common)}`, SETTING_COLUMNS);
    return [beginningOf(field, FIELD_COLUMNS), shown(before), shown(after)];
  });
  return [headedTable(['config', baseline, letter], rows)];
}

function settingText(value: unknown): string {
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Characters of two long texts that are shown before their difference. */
const BEFORE_DIFFERENCE = 8;

/** Returns how many characters are left out at the beginning of two texts, so that their difference is seen. */
function commonLength(left: string, right: string): number {
  let common = 0;
  while (common < left.length && left[common] === right[common]) common += 1;
  return common + BEFORE_DIFFERENCE < SETTING_COLUMNS ? 0 : common - BEFORE_DIFFERENCE;
}

/** Says how the figures were computed, each method once. */
function methodNotes(comparisons: readonly ShownComparison[], correctedFor: number): string[] {
  const scores = comparisons.flatMap((one) => one.scores);
  const used = new Set(
    scores.flatMap((one) => [one, ...Object.values(one.by).flat()]).map(({ interval }) => interval?.method),
  );
  const intervals = [
    used.has('newcombe') ? 'Newcombe’s score interval for paired right and wrong' : null,
    used.has('student_t') ? 'Student’s t of the samples’ differences' : null,
  ].filter((text) => text !== null);
  if (scores.every(({ pairs }) => pairs === 0)) return [];
  const others = scores.some(({ by }) => Object.keys(by).length > 0) ? 'groups and scores' : 'scores';
  const fields = new Set(comparisons.flatMap(({ clustered_by: field }) => field ?? []));
  return [
    ...(intervals.length === 0 ? [] : [`Intervals: ${intervals.join('; ')}.`]),
    ...[...fields].map((field) => `Intervals and p-values are clustered by ${field} (metrics.cluster).`),
    correctedFor > 1
      ? `p-values are two-sided, and corrected for ${correctedFor} comparisons (Holm), not for several ${others}.`
      : `p-values are two-sided, and not corrected for several ${others}.`,
  ];
}

function experimentWarnings({ letter, status, simulated }: ShownExperiment): string[] {
  return [
    ...(status === 'done' ? [] : [`Warning: ${letter} is not complete (${status}).`]),
    ...(simulated ? [`Warning: ${letter} is a simulation: no benchmark figure.`] : []),
  ];
}

function comparisonWarnings(
  comparison: ShownComparison,
  { letter: baseline, kind }: ShownExperiment,
  experiments: readonly ShownExperiment[],
  vary: readonly string[],
): string[] {
  const { letter, unexpected, questions_differ, targets_differ, unpaired_scores } = comparison;
  const other = experiments.find((one) => one.letter === letter);
  const both = `${baseline} and ${letter}`;
  const { baseline_only, other_only } = comparison.samples;
  return [
    ...(kind === other?.kind
      ? []
      : [`${both} are of two kinds (${kind}, ${other?.kind}), whose configs are not compared`]),
    ...(unexpected.length === 0 ? [] : [unexpectedText(both, unexpected, vary)]),
    ...(baseline_only + other_only === 0
      ? []
      : [
          `the samples of ${both} differ: ${baseline_only} are in ${baseline} only, ${other_only} in ${letter} only`,
        ]),
    ...(targets_differ.length === 0
      ? []
      : [`the right answers of ${both} differ in ${listed(targets_differ)}`]),
    ...(questions_differ.length === 0
      ? []
      : [`the questions of ${both} differ in ${listed(questions_differ)}`]),
    ...(unpaired_scores.length === 0 ? [] : [`only one of ${both} has: ${unpaired_scores.join(', ')}`]),
  ].map((text) => `Warning: ${text}.`);
}

function unexpectedText(both: string, unexpected: readonly string[], vary: readonly string[]): string {
  return vary.length === 0
    ? `${both} differ in ${listed(unexpected)}, so the figures may be due to any of these; --vary names what is meant to differ`
    : `${both} also differ in ${listed(unexpected)}`;
}

/** Lists the first names of many, as `3 (a, b, c)`. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_LISTED);
  return `${names.length} (${shown.join(', ')}${names.length > shown.length ? ', …' : ''})`;
}
