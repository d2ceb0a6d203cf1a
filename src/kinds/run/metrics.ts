import type { ExecutionRecord } from '../../contracts/execution.js';
import type { CallRecord } from '../../contracts/language-model.js';
import type { ResultRow, RowTask } from '../../contracts/results.js';
import type { Unrecorded } from '../../contracts/step-cost.js';
import { addUnrecorded } from '../../runtime/beside.js';
import { agreementOf } from '../../statistics/agreement.js';
import { CallTally } from '../../statistics/call-figures.js';
import { affordableResamples } from '../../statistics/clustered-bootstrap.js';
import { ErrorTally, shortened } from '../../statistics/error-tally.js';
import { countedText } from '../../statistics/figure-text.js';
import { fieldText, GroupSums, largestGroups } from '../../statistics/groups.js';
import { ScoreTally } from '../../statistics/score-tally.js';
import { otherGroups } from './other-groups.js';
import { ReducerSums, ScoreReducerSums, type VotingRow } from './reducers.js';
import type { EmbeddingTotals, Metrics, TaskMetrics } from './results.js';
import { SampleSums } from './sample-sums.js';
import { labelValue } from './scorers/model-graded.js';
import type { ScorerConfig } from './scorers/schema.js';
import { type TrialOutcome, TrialSums, trialOfAccuracy } from './trial-figures.js';

/** Facts of a run that its rows do not contain. */
export type RunFacts = Pick<
  Metrics,
  | 'name'
  | 'experiment'
  | 'status'
  | 'status_message'
  | 'model'
  | 'simulated'
  | 'agent'
  | 'seed'
  | 'in_words'
  | 'feedback_in_prompts'
  | 'examples_chosen_by_label'
  | 'feedback_in_memory'
  | 'curator_sees_feedback'
  | 'code_changes'
  | 'samples_planned'
  | 'wall_seconds'
  | 'started_at'
  | 'ended_at'
> & { early_stop_on_success: boolean; environment: string };

/** Counts by name. Maps, not objects, because environments, agents and models may use a name such as `constructor`. */
type Counts = Map<string, number>;

function count(counts: Counts, what: string, times = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + times);
}

/** Counts a row's confusion, if its environment reports letters. */
function countConfusion(confusion: Map<string, Counts>, row: ResultRow): void {
  const extra = row.feedback?.extra;
  if (typeof extra?.target_letter !== 'string') return;
  const counts = confusion.get(extra.target_letter) ?? new Map<string, number>();
  confusion.set(extra.target_letter, counts);
  count(counts, typeof extra.predicted === 'string' ? extra.predicted : 'none');
}

/** Sorts entries by their keys, so that equal counts print equally. */
function sorted<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  return Object.fromEntries([...entries].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Maximum number of names of scores, which an environment may make up. */
const MAX_SCORES = 100;
/** Maximum number of groups of a field in the metrics, which are part of a workflow's history. */
const MAX_GROUPS = 100;

/**
 * Returns the scores of a row: those of its scorers, and numbers and booleans that its environment reports, except for
 * the answer and fields that are groups.
 */
function scoresOf(row: ResultRow, by: readonly string[]): Record<string, number | boolean> {
  const reported = Object.entries(row.feedback?.extra ?? {}).filter(
    (entry): entry is [string, number | boolean] =>
      (typeof entry[1] === 'number' || typeof entry[1] === 'boolean') &&
      entry[0] !== 'extracted' &&
      !by.includes(entry[0]),
  );
  const given = Object.entries(row.scores ?? {}).filter(
    (entry): entry is [string, number | boolean] => entry[1] !== null,
  );
  return Object.fromEntries([
    ...given,
    ...reported.filter(([name]) => !Object.hasOwn(row.scores ?? {}, name)),
  ]);
}

/** Settings of a run's metrics. */
export interface MetricsRules {
  num_trials: number;
  /** Independent repetitions of each sample. Default 1. */
  epochs?: number | undefined;
  /** Names of what a sample's epochs are reduced to. Default: their mean. */
  reducers?: readonly string[] | undefined;
  /** Fields whose values are groups with figures of their own. */
  by?: readonly string[] | undefined;
  /** Field of the metadata whose values are the clusters of standard errors; null: the samples. */
  cluster?: string | null | undefined;
  /** Scorers by name, for the labels of the dataset. */
  scorers?: Readonly<Record<string, ScorerConfig>> | undefined;
}

/** Row of an episode with the metadata of its sample, and its vote. */
export type MeasuredRow = VotingRow & Pick<RowTask, 'metadata'>;

/**
 * Builder of a run's metrics from its rows, which arrive sample by sample, epochs and trials in order. Of a sample that
 * has ended only sums remain, a few numbers for each figure and cluster, so 20,000 samples take little memory.
 */
export class RunMetricsBuilder {
  /** Outcomes of the trials of the current epoch, its last row, and the last rows of the sample's epochs before it. */
  private outcomes: TrialOutcome[] = [];
  private lastRow: MeasuredRow | undefined;
  private epochRows: MeasuredRow[] = [];
  private episodes = 0;
  private readonly errors = new ErrorTally();
  private readonly all = new SampleSums();
  private readonly trials: TrialSums;
  private readonly scores = new ScoreTally(MAX_SCORES);
  private readonly by: readonly string[];
  private readonly groups: Map<string, GroupSums<SampleSums>>;
  private readonly reducers: ReducerSums;
  private readonly scoreReducers: ScoreReducerSums;
  private isClustered = false;
  private readonly tally = new CallTally(({ purpose }) => (purpose === 'grade' ? 'judge' : 'agent'));
  private warnings = 0;
  private firstWarning: string | undefined;
  private cached = 0;
  private unrecorded: Unrecorded | null = null;
  private executions = { made: 0, failed: 0 };
  private agentMetrics: Counts = new Map();
  private embeddings: EmbeddingTotals | null = null;
  private confusion = new Map<string, Counts>();
  private readonly unscored: Counts = new Map();
  /** Scores and labels, by scorer; and labels that are no scores. */
  private readonly labelled = new Map<
    string,
    { pairs: [score: number, label: number][]; is_share: boolean }
  >();
  private readonly unreadLabels: Counts = new Map();
  private readonly byPurpose = new Map<string, CallTally>();

  constructor(private readonly rules: MetricsRules) {
    this.trials = new TrialSums(rules.num_trials);
    this.by = rules.by ?? [];
    this.groups = new Map(this.by.map((field) => [field, new GroupSums(() => new SampleSums())]));
    const { reducers = ['mean'] } = rules;
    this.reducers = new ReducerSums(reducers);
    this.scoreReducers = new ScoreReducerSums(reducers);
  }

  get episodesSoFar(): number {
    return this.episodes;
  }

  add(row: MeasuredRow, calls: readonly CallRecord[]): void {
    const { epoch = 0 } = row;
    if (row.id !== this.lastRow?.id) this.closeSample();
    else if (epoch !== (this.lastRow.epoch ?? 0)) this.closeEpoch();
    this.lastRow = row;
    const trial = row.trial - epoch * this.rules.num_trials;
    this.outcomes[trial] = row.error !== null ? 'error' : row.feedback?.correct ? 'success' : 'failure';
    this.episodes += 1;
    this.tally.addCutOff(row.cut_off);
    this.warnings += row.warnings?.length ?? 0;
    this.firstWarning ??= row.warnings?.[0];
    for (const [what, times] of Object.entries(row.agent_metrics ?? {})) {
      count(this.agentMetrics, what, times);
    }
    for (const call of calls) this.addCall(call);
  }

  /** Adds a call; one that belongs to no finished episode was paid all the same. */
  addCall(call: CallRecord): void {
    this.cached += call.cached === true ? 1 : 0;
    const ofPurpose = this.byPurpose.get(call.purpose) ?? new CallTally();
    this.byPurpose.set(call.purpose, ofPurpose);
    ofPurpose.addCall(call);
    this.tally.addCall(call);
  }

  addExecution({ status }: ExecutionRecord): void {
    this.executions.made += 1;
    if (status !== 'ok') this.executions.failed += 1;
  }

  /** Adds unrecorded requests, which are listed beside the figures, because their exact cost is unknown. */
  addUnrecorded(unrecorded: Unrecorded): void {
    this.unrecorded = addUnrecorded(this.unrecorded, unrecorded);
  }

  /** Adds the cost of retrieval, which counts as tokens and dollars of the run. */
  addEmbeddings(embeddings: EmbeddingTotals): void {
    this.embeddings = embeddings;
    const { input_tokens, cost_usd } = embeddings;
    this.tally.addCost({ lm_calls: 0, usage: { input_tokens, output_tokens: 0 }, cost_usd });
  }

  private closeSample(): void {
    this.closeEpoch();
    const [first] = this.epochRows;
    if (first !== undefined && this.isRepeated) {
      const cluster = this.clusterOf(first);
      this.reducers.add(cluster, this.epochRows);
      this.scoreReducers.add(cluster, this.epochRows);
    }
    this.epochRows = [];
  }

  private get isRepeated(): boolean {
    return (this.rules.epochs ?? 1) > 1;
  }

  /** Adds an epoch of a sample, which counts as a sample of its own. */
  private closeEpoch(): void {
    const row = this.lastRow;
    if (row === undefined) return;
    this.epochRows.push(row);
    const cluster = this.clusterOf(row);
    const scores = row.error === null ? scoresOf(row, this.by) : {};
    this.all.add(cluster, row);
    this.trials.add(cluster, this.outcomes);
    for (const [field, groups] of this.groups) {
      groups.of(fieldText(field, [row.metadata, row.feedback?.extra])).add(cluster, row, scores);
    }
    if (row.error !== null) {
      this.errors.add(row.error);
    } else {
      this.scores.add(cluster, scores);
      for (const name of Object.keys(row.unscored ?? {})) count(this.unscored, name);
      this.addLabels(row);
      countConfusion(this.confusion, row);
    }
    this.outcomes = [];
    this.lastRow = undefined;
  }

  /** Adds the scores of a row whose metadata has the labels of people. */
  private addLabels({ metadata, scores = {} }: MeasuredRow): void {
    for (const [name, scorer] of Object.entries(this.rules.scorers ?? {})) {
      const { label_field } = scorer;
      const text = label_field === undefined ? null : fieldText(label_field, [metadata]);
      if (text === null) continue;
      const label = labelValue(scorer, text);
      const score = scores[name] ?? null;
      if (label === null) count(this.unreadLabels, name);
      if (label === null || score === null) continue;
      const labelled = this.labelled.get(name) ?? { pairs: [], is_share: true };
      this.labelled.set(name, labelled);
      labelled.pairs.push([Number(score), label]);
      labelled.is_share &&= typeof score === 'boolean';
    }
  }

  /** Returns the cluster of a sample; without a value of the field, it is one of its own. */
  private clusterOf({ id, metadata }: MeasuredRow): string {
    const { cluster } = this.rules;
    const value = cluster == null ? null : fieldText(cluster, [metadata]);
    if (value === null) return `sample ${id}`;
    this.isClustered = true;
    return `cluster ${value}`;
  }

  finish(facts: RunFacts): Metrics {
    this.closeSample();
    const { early_stop_on_success, environment, ...rest } = facts;
    const { num_trials, cluster, epochs = 1 } = this.rules;
    const { seed } = facts;
    const accuracy_of = trialOfAccuracy({ num_trials, early_stop_on_success });
    const { samples, correct, errors, ...figures } = this.all.figures({ seed });
    const task: TaskMetrics = { samples, correct, errors, ...figures };
    if (this.confusion.size > 0) {
      task.confusion = sorted([...this.confusion].map(([target, counts]) => [target, sorted(counts)]));
    }
    const scores = this.scores.figures({ seed });
    const warnings = this.figureWarnings();
    return {
      ...rest,
      kind: 'run',
      ...(this.isRepeated ? { epochs, reducers: this.reducers.figures({ seed }) } : {}),
      ...this.scoreReducers.figures({ seed }),
      samples,
      episodes: this.episodes,
      accuracy_of,
      correct,
      ...figures,
      errors,
      errors_by_type: this.errors.counts(),
      ...this.errors.causes(),
      ...this.trials.successByTrial(seed),
      ...(accuracy_of === 'last_trial' ? this.trials.meanOverTrials(seed) : {}),
      ...(this.isClustered ? { clustered_by: cluster as string } : {}),
      ...(Object.keys(scores).length === 0 ? {} : { scores }),
      ...(this.unscored.size === 0 ? {} : { unscored: Object.fromEntries(this.unscored) }),
      ...this.agreement(),
      ...this.groupFigures(seed),
      ...(warnings.length === 0 ? {} : { figure_warnings: warnings }),
      ...this.tally.figures(this.unrecorded),
      ...this.callsByPurpose(),
      lm_calls_cached: this.cached,
      warnings: this.warnings,
      ...(this.firstWarning === undefined ? {} : { first_warning: shortened(this.firstWarning) }),
      ...(this.executions.made === 0
        ? {}
        : {
            code_executions: this.executions.made,
            code_executions_failed: this.executions.failed,
          }),
      ...(this.agentMetrics.size === 0 ? {} : { agent_metrics: sorted(this.agentMetrics) }),
      ...(this.embeddings === null ? {} : { embeddings: this.embeddings }),
      by_task: { [environment]: task },
    };
  }

  private agreement(): Pick<Metrics, 'agreement'> {
    const agreement = [...this.labelled].flatMap(([name, { pairs, is_share }]) => {
      const one = agreementOf(pairs, is_share ? 'nominal' : 'interval');
      return one === null ? [] : [[name, one] as const];
    });
    return agreement.length === 0 ? {} : { agreement: Object.fromEntries(agreement) };
  }

  private callsByPurpose(): Pick<Metrics, 'calls_by_purpose'> {
    if (this.byPurpose.size < 2) return {};
    const figures = [...this.byPurpose].map(([purpose, tally]) => {
      const { lm_calls, usage, cost_usd } = tally.figures(null);
      return [purpose, { lm_calls, usage, cost_usd }] as const;
    });
    return { calls_by_purpose: sorted(figures) };
  }

  private groupFigures(seed: number): Pick<Metrics, 'by' | 'by_others'> {
    const options = { seed, resamples: affordableResamples(this.all.samples) };
    const fields = [...this.groups]
      .filter(([, { hasValues }]) => hasValues)
      .map(([field, groups]) => {
        const [listed, others] = largestGroups(groups.inOrder(), MAX_GROUPS, ([, { samples }]) => samples);
        return { field, groups: listed, others: others.map(([, sums]) => sums) };
      });
    const by = fields.map(({ field, groups }) => {
      const figures = groups.map(([name, sums]) => [name, sums.figures(options)] as const);
      return [field, Object.fromEntries(figures)] as const;
    });
    const others = fields.filter(({ others }) => others.length > 0);
    return {
      ...(by.length === 0 ? {} : { by: Object.fromEntries(by) }),
      ...(others.length === 0
        ? {}
        : { by_others: Object.fromEntries(others.map(({ field, others }) => [field, otherGroups(others)])) }),
    };
  }

  /** Lists the fields that no row has. */
  private figureWarnings(): string[] {
    if (this.all.samples === 0) return [];
    const { cluster } = this.rules;
    const without = [...this.groups].filter(([, groups]) => !groups.hasValues).map(([field]) => field);
    return [
      ...[...this.unreadLabels].map(
        ([name, rows]) =>
          `scorers.${name}.label_field: ${countedText(rows, 'label')} can be read as no score, so the agreement is of the others.`,
      ),
      ...without.map(
        (field) =>
          `metrics.by: no row has ${field}, neither in its metadata nor in feedback.extra. Name it in dataset.meta_fields, so that later runs have it.`,
      ),
      ...(cluster == null || this.isClustered
        ? []
        : [
            `metrics.cluster: no row has ${cluster} in its metadata, so each sample is a cluster of its own. Name it in dataset.meta_fields, so that later runs have it.`,
          ]),
    ];
  }
}
