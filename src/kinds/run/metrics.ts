import type { ExecutionRecord } from '../../contracts/execution.js';
import type { CallRecord } from '../../contracts/language-model.js';
import type { ResultRow } from '../../contracts/results.js';
import type { Unrecorded } from '../../contracts/step-cost.js';
import { addUnrecorded } from '../../runtime/beside.js';
import { CallTally } from '../../statistics/call-figures.js';
import type { Cluster } from '../../statistics/clustered-bootstrap.js';
import { ErrorTally, shortened } from '../../statistics/error-tally.js';
import { Sum } from '../../statistics/sums.js';
import type { EmbeddingTotals, Metrics, TaskMetrics } from './results.js';
import { meanOverTrials, trialOfAccuracy } from './trial-figures.js';

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
> & { num_trials: number; early_stop_on_success: boolean; environment: string };

type EpisodeOutcome = 'success' | 'failure' | 'error';

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

/**
 * Builder of a run's metrics from its rows, which arrive sample by sample, trials in order. No row is kept after the
 * next sample begins, so 20,000 samples take hardly more memory than 200.
 */
export class RunMetricsBuilder {
  private sampleId: string | undefined;
  private outcomes: EpisodeOutcome[] = [];
  private lastRow: ResultRow | undefined;
  private samples = 0;
  private episodes = 0;
  private correct = 0;
  private readonly errors = new ErrorTally();
  /** Judged trials of each sample. */
  private readonly trialsOfSamples: Cluster[] = [];
  private correctByTrial: number[];
  private judgedByTrial: number[];
  private readonly rewards = new Sum();
  private readonly tally = new CallTally();
  private warnings = 0;
  private firstWarning: string | undefined;
  private cached = 0;
  private unrecorded: Unrecorded | null = null;
  private executions = { made: 0, failed: 0 };
  private agentMetrics: Counts = new Map();
  private embeddings: EmbeddingTotals | null = null;
  private confusion = new Map<string, Counts>();

  constructor(private readonly trials: number) {
    this.correctByTrial = Array.from({ length: trials }, () => 0);
    this.judgedByTrial = Array.from({ length: trials }, () => 0);
  }

  get episodesSoFar(): number {
    return this.episodes;
  }

  add(row: ResultRow, calls: readonly CallRecord[]): void {
    if (row.id !== this.sampleId) this.closeSample();
    this.sampleId = row.id;
    this.lastRow = row;
    this.outcomes[row.trial] = row.error !== null ? 'error' : row.feedback?.correct ? 'success' : 'failure';
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
    const row = this.lastRow;
    if (row === undefined) return;
    this.samples += 1;
    const judged = this.outcomes.filter((one) => one !== 'error');
    if (this.trials > 1)
      this.trialsOfSamples.push({
        sum: judged.filter((one) => one === 'success').length,
        count: judged.length,
      });
    let outcome: EpisodeOutcome | undefined;
    for (let trial = 0; trial < this.trials; trial++) {
      // A sample that stopped early keeps its last outcome for the trials that it did not need.
      outcome = this.outcomes[trial] ?? outcome;
      if (outcome === undefined || outcome === 'error') continue;
      this.judgedByTrial[trial] = (this.judgedByTrial[trial] ?? 0) + 1;
      if (outcome === 'success') this.correctByTrial[trial] = (this.correctByTrial[trial] ?? 0) + 1;
    }
    if (row.error !== null) {
      this.errors.add(row.error);
    } else {
      this.rewards.add(row.reward ?? 0);
      if (row.feedback?.correct) this.correct += 1;
      countConfusion(this.confusion, row);
    }
    this.outcomes = [];
    this.lastRow = undefined;
  }

  finish(facts: RunFacts): Metrics {
    this.closeSample();
    const { num_trials, early_stop_on_success, environment, ...rest } = facts;
    const accuracy_of = trialOfAccuracy({ num_trials, early_stop_on_success });
    const errors = this.errors.total;
    const judged = this.samples - errors;
    const accuracy = judged === 0 ? null : this.correct / judged;
    const task: TaskMetrics = { samples: this.samples, correct: this.correct, errors, accuracy };
    if (this.confusion.size > 0) {
      task.confusion = sorted([...this.confusion].map(([target, counts]) => [target, sorted(counts)]));
    }
    return {
      ...rest,
      kind: 'run',
      samples: this.samples,
      episodes: this.episodes,
      accuracy_of,
      correct: this.correct,
      accuracy,
      errors,
      errors_by_type: this.errors.counts(),
      ...this.errors.causes(),
      success_by_trial: this.correctByTrial.map((correct, trial) => {
        const of = this.judgedByTrial[trial] ?? 0;
        return of === 0 ? null : correct / of;
      }),
      correct_by_trial: this.correctByTrial,
      ...(accuracy_of === 'last_trial' ? meanOverTrials(this.trialsOfSamples, facts.seed) : {}),
      mean_reward: this.rewards.mean,
      ...this.tally.figures(this.unrecorded),
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
}
