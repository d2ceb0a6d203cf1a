import { isMapping, type Json, type JsonObject } from '../contracts/json.js';
import { groupBy } from './group-by.js';
import { fieldText } from './groups.js';
import { type ComparedSample, type ComparedTrial, lastTrials } from './outcomes.js';
import {
  comparePaired,
  differenceOf,
  type PairedComparison,
  type PairedOptions,
  type ValuesBySample,
} from './paired.js';
import { meanOf } from './sums.js';

/** Figure of a sample's trials: their mean, or the last one alone, of each epoch. */
export type TrialFigure = 'mean' | 'last';

/** An experiment to compare. */
export interface ComparedSamples {
  samples: ReadonlyMap<string, ComparedSample>;
  /** Figures that make sense for its trials, the most telling one first. */
  figures: readonly TrialFigure[];
}

/** Value of a sample in one experiment. */
interface ChangedValue {
  value: number;
  /** Answers of the trials that the value is of. */
  answers: (string | null)[];
}

/** Sample whose values differ. */
export interface Change {
  id: string;
  question: string | null;
  baseline: ChangedValue;
  other: ChangedValue;
}

/** Samples with the same value of a metadata field. */
export interface GroupComparison extends PairedComparison {
  /** Value as text; null for samples without the field. */
  group: string | null;
}

/** Comparison of one score. */
export interface ScoreComparison extends PairedComparison {
  score: string;
  /** Trials that a sample's value is of; `only`: neither experiment has several of a sample. */
  trials: TrialFigure | 'only';
  /** True if all values are true or false: means are shares. */
  is_share: boolean;
  /** Samples of both that were not judged, or lack the score: in the baseline only, in the other only, in both. */
  not_judged: { baseline: number; other: number; both: number };
  /** By metadata field. */
  by: Record<string, GroupComparison[]>;
  /** Changed samples, by the size of the change. */
  changes: { better: Change[]; worse: Change[] };
}

/** Comparison of a baseline with one other experiment. */
export interface ExperimentComparison {
  /** Samples with rows in both, in the baseline only, and in the other only. */
  samples: { both: number; baseline_only: number; other_only: number };
  /** Ids of samples of both whose questions, or right answers, differ. */
  questions_differ: string[];
  targets_differ: string[];
  scores: ScoreComparison[];
  /** Scores that are left out, since they have the values of another score in every sample: that score by name. */
  same_scores: Record<string, string>;
  /** Scores that only one of the two has. */
  unpaired_scores: string[];
  /** Metadata field whose values are the clusters of the samples; absent: each sample is one. */
  clustered_by?: string;
}

export interface ComparisonOptions extends Omit<PairedOptions, 'clusterOf' | 'isShare'> {
  /** Metadata fields to group by. */
  by?: readonly string[];
  /** The only score to compare; null or absent: all. */
  score?: string | null;
  /** Metadata field of what samples that are not independent have in common; null or absent: none are. */
  cluster?: string | null;
}

/** Returns the field that the first of several configs with `metrics.cluster` names there; null if none does. */
export function clusterNamed(configs: readonly JsonObject[]): string | null {
  const named = configs.map(({ metrics }) => (isMapping(metrics) ? metrics.cluster : null));
  return named.find((field) => typeof field === 'string') ?? null;
}

/** One score of both experiments, by sample. */
interface Values {
  score: string;
  trials: ScoreComparison['trials'];
  baseline: ValuesBySample;
  other: ValuesBySample;
}

/** Compares two experiments by the samples that both have; samples, trials and scores of one only are counted. */
export function compareExperiments(
  baseline: ComparedSamples,
  other: ComparedSamples,
  { by = [], score = null, cluster = null, ...given }: ComparisonOptions = {},
): ExperimentComparison {
  const clusterOf = (id: string) =>
    cluster === null
      ? null
      : fieldText(cluster, [baseline.samples.get(id)?.metadata, other.samples.get(id)?.metadata]);
  const isClustered = [...baseline.samples.keys()].some((id) => clusterOf(id) !== null);
  const options = isClustered ? { ...given, clusterOf } : given;
  const both = [...baseline.samples.values()].flatMap((sample) => {
    const match = other.samples.get(sample.id);
    return match === undefined ? [] : [{ sample, match }];
  });
  const names = [scoreNames(baseline), scoreNames(other)] as const;
  const paired = [...names[0]].filter((name) => names[1].has(name) && (score === null || name === score));
  const same = new Map<string, string>();
  const scores: ScoreComparison[] = [];
  for (const trials of figuresOf(baseline, other)) {
    const compared: Values[] = [];
    for (const name of paired) {
      const values = {
        score: name,
        trials,
        baseline: valuesOf(baseline, name, trials),
        other: valuesOf(other, name, trials),
      };
      const alike = compared.find((one) => haveSameValues(one, values));
      if (alike === undefined) compared.push(values);
      else same.set(name, alike.score);
    }
    scores.push(...compared.map((values) => compareScore(values, [baseline, other], { by, ...options })));
  }
  const differing = (field: 'question' | 'target') =>
    both.filter(({ sample, match }) => differ(sample[field], match[field])).map(({ sample }) => sample.id);
  return {
    samples: {
      both: both.length,
      baseline_only: baseline.samples.size - both.length,
      other_only: other.samples.size - both.length,
    },
    questions_differ: differing('question'),
    targets_differ: differing('target'),
    scores,
    same_scores: Object.fromEntries(same),
    unpaired_scores: [...new Set([...names[0], ...names[1]])].filter(
      (name) => !(names[0].has(name) && names[1].has(name)),
    ),
    ...(isClustered && cluster !== null ? { clustered_by: cluster } : {}),
  };
}

/** Returns the names of an experiment's scores, in the order of its rows. */
export function scoreNames({ samples }: Pick<ComparedSamples, 'samples'>): Set<string> {
  const names = new Set<string>();
  for (const { trials } of samples.values())
    for (const { scores } of trials) for (const name of Object.keys(scores ?? {})) names.add(name);
  return names;
}

/** Two questions or targets differ; one that only one experiment's rows have does not. */
function differ(left: Json, right: Json): boolean {
  return left !== null && right !== null && JSON.stringify(left) !== JSON.stringify(right);
}

/** Returns the figures of trials that both experiments have; of an experiment with the last trial only, that one. */
function figuresOf(baseline: ComparedSamples, other: ComparedSamples): ScoreComparison['trials'][] {
  const isSingle = ({ samples }: ComparedSamples) =>
    [...samples.values()].every(({ trials }) => trials.length === 1);
  if (isSingle(baseline) && isSingle(other)) return ['only'];
  const common = baseline.figures.filter((figure) => other.figures.includes(figure));
  return common.length > 0 ? common : ['last'];
}

/** Returns the trials that a figure is of. */
function trialsOf({ trials }: ComparedSample, figure: ScoreComparison['trials']): readonly ComparedTrial[] {
  return figure === 'last' ? lastTrials(trials) : trials;
}

function scoreOf({ scores }: ComparedTrial, name: string): number | boolean | null {
  const value = scores !== null && Object.hasOwn(scores, name) ? scores[name] : null;
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Returns a score of the judged trials of each sample. */
function valuesOf(
  { samples }: ComparedSamples,
  score: string,
  figure: ScoreComparison['trials'],
): Map<string, number[]> {
  const values = new Map<string, number[]>();
  for (const sample of samples.values()) {
    const judged = trialsOf(sample, figure).map((trial) => scoreOf(trial, score));
    values.set(sample.id, judged.filter((value) => value !== null).map(Number));
  }
  return values;
}

function haveSameValues(one: Values, two: Values): boolean {
  const isSame = (left: ValuesBySample, right: ValuesBySample) =>
    [...left].every(([id, values]) => {
      const others = right.get(id) ?? [];
      return values.length === others.length && values.every((value, index) => value === others[index]);
    });
  return isSame(one.baseline, two.baseline) && isSame(one.other, two.other);
}

function compareScore(
  { score, trials, baseline, other }: Values,
  sides: readonly [ComparedSamples, ComparedSamples],
  { by, ...given }: PairedOptions & { by: readonly string[] },
): ScoreComparison {
  const [left, right] = sides;
  const areShares = ({ samples }: ComparedSamples) =>
    [...samples.values()].every((sample) =>
      trialsOf(sample, trials).every((trial) => typeof scoreOf(trial, score) !== 'number'),
    );
  const options = { ...given, isShare: areShares(left) && areShares(right) };
  const missing = (id: string): keyof ScoreComparison['not_judged'] | null => {
    const [inLeft, inRight] = [baseline.get(id)?.length === 0, other.get(id)?.length === 0];
    if (inLeft && inRight) return 'both';
    return inLeft ? 'baseline' : inRight ? 'other' : null;
  };
  const ids = [...baseline.keys()].filter((id) => other.has(id));
  const not_judged = { baseline: 0, other: 0, both: 0 };
  for (const place of ids.map(missing)) if (place !== null) not_judged[place] += 1;
  return {
    score,
    trials,
    is_share: options.isShare,
    not_judged,
    ...comparePaired(baseline, other, options),
    by: Object.fromEntries(
      by.map((field) => {
        const groupOf = (id: string) => groupText(left.samples.get(id), right.samples.get(id), field);
        const groups = [...groupBy(ids, groupOf)].sort(([one], [two]) => inOrder(one, two));
        return [
          field,
          groups.map(([group, members]) => {
            const ofGroup = new Map(members.map((id) => [id, baseline.get(id) ?? []]));
            return { group, ...comparePaired(ofGroup, other, options) };
          }),
        ];
      }),
    ),
    changes: changesOf({ score, trials, baseline, other }, sides),
  };
}

/** Returns the text of a sample's metadata field; null where neither experiment has it. */
function groupText(
  baseline: ComparedSample | undefined,
  other: ComparedSample | undefined,
  field: string,
): string | null {
  for (const sample of [baseline, other]) {
    const value =
      sample !== undefined && Object.hasOwn(sample.metadata, field) ? sample.metadata[field] : null;
    if (value != null) return typeof value === 'string' ? value : JSON.stringify(value);
  }
  return null;
}

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** Orders groups by name, numbers in it by size; samples without the field come last. */
function inOrder(left: string | null, right: string | null): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return COLLATOR.compare(left, right);
}

function changesOf(
  { trials, baseline, other }: Values,
  [left, right]: readonly [ComparedSamples, ComparedSamples],
): ScoreComparison['changes'] {
  const changes: (Change & { difference: number })[] = [];
  for (const [id, values] of baseline) {
    const [sample, match] = [left.samples.get(id), right.samples.get(id)];
    const others = other.get(id) ?? [];
    if (sample === undefined || match === undefined || values.length === 0 || others.length === 0) continue;
    const [before, after] = [meanOf(values), meanOf(others)];
    const answers = (one: ComparedSample) => trialsOf(one, trials).map(({ answer }) => answer);
    changes.push({
      id,
      question: sample.question ?? match.question,
      baseline: { value: before, answers: answers(sample) },
      other: { value: after, answers: answers(match) },
      difference: differenceOf(before, after),
    });
  }
  const largest = changes.sort((one, two) => Math.abs(two.difference) - Math.abs(one.difference));
  const of = (sign: number) =>
    largest
      .filter(({ difference }) => Math.sign(difference) === sign)
      .map(({ difference: _difference, ...change }) => change);
  return { better: of(1), worse: of(-1) };
}
