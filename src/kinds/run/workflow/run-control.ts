import type { GeneratedReply } from '../../../contracts/language-model.js';
import type { Unrecorded } from '../../../contracts/step-cost.js';
import { Budget } from '../../../runtime/budget.js';
import { ExperimentControl } from '../../../workflows/experiment-control.js';
import { ApplicationFailure } from '../../../workflows/sdk.js';
import type { FoundExperiences, RunCarried, RunPlan, RunProgress, Totals } from '../contracts.js';
import { RUN_FACTS } from '../facts.js';
import {
  accuracyOf,
  addTotals,
  bookCall,
  bookEmbeddings,
  bookEpisode,
  bookUnrecorded,
  type EpisodeOutcome,
  noTotals,
  spendingOfTotals,
  spentOfTotals,
} from '../lane/totals.js';

/** Minimum milliseconds between two updates of the Temporal UI by ended episodes. */
const SHOWN_EVERY = 1000;

/** Control of a run: its totals, the requests of people, and its budget. */
export class RunControl extends ExperimentControl<RunPlan, RunProgress> {
  /** Totals of this execution and of those that it continues. */
  private readonly totals: Totals;
  private budget: Budget | undefined;
  private shownAt = Number.NEGATIVE_INFINITY;
  /** Number of samples in progress. */
  private running = 0;
  /** Called when the number of lanes, or whether the run may continue, may have changed. */
  onChange: () => void = () => undefined;

  /** @param before state of the previous execution, if this one continues it. */
  constructor(before?: Pick<RunCarried, 'asked' | 'totals'>) {
    super('run', RUN_FACTS, before?.asked);
    this.totals = before?.totals ?? noTotals();
  }

  begin(plan: RunPlan): void {
    // Replaces a concurrency that was requested before the plan was known.
    if (plan.memory_scope === 'run') this.status.setConcurrency(plan.concurrency);
    this.planned(plan, { kind: 'run', model: plan.model });
    this.budget = new Budget(plan.limits, () => spendingOfTotals(this.sum()));
    this.checkLimits();
    this.showPhase();
  }

  get lanes(): number {
    return this.status.concurrency;
  }

  /** True if an episode in progress may end, but no other may begin. */
  mustEnd(): boolean {
    return !this.status.continues();
  }

  /** True if no further call may be made, not even by an episode in progress. */
  isOver(): boolean {
    return this.status.isOver();
  }

  /** Requests a grant for one call, and waits for it if needed. The call ends as answered or failed. */
  mayCall(): boolean | Promise<boolean> {
    return this.budget?.requestOne() ?? false;
  }

  /** Records the reply to a call that {@link mayCall} granted. */
  answered(reply: GeneratedReply): void {
    // Costs of earlier executions are in `kept`.
    if (reply.counted) bookUnrecorded(this.totals, reply.unrecorded ?? null);
    else bookCall(this.totals, reply);
    this.budget?.ended();
    this.checkLimits();
  }

  /** Records that a call that {@link mayCall} granted has failed, and its unrecorded requests. */
  failed(unrecorded: Unrecorded | null): void {
    bookUnrecorded(this.totals, unrecorded);
    this.budget?.ended();
    this.checkLimits();
  }

  /** Records what a search paid for vectors. */
  paid(embeddings: NonNullable<FoundExperiences['embeddings']>): void {
    bookEmbeddings(this.totals, embeddings);
    this.checkLimits();
  }

  /** Records a finished episode; `before` is the outcome of the sample's earlier trial, if there was one. */
  ended(outcome: EpisodeOutcome, before: EpisodeOutcome | undefined): void {
    bookEpisode(this.totals, outcome, before);
    if (Date.now() - this.shownAt >= SHOWN_EVERY) this.show();
  }

  override setConcurrency(lanes: number): number {
    const before = super.setConcurrency(lanes);
    this.onChange();
    return before;
  }

  override assertConcurrency(lanes: number): void {
    super.assertConcurrency(lanes);
    if (this.plan?.memory_scope === 'run') {
      throw ApplicationFailure.nonRetryable(
        'runtime.memory_scope is run: its samples share one memory and go one by one',
      );
    }
  }

  /** Counts a sample in progress. @returns the function that ends this. */
  begins(): () => void {
    this.running += 1;
    return () => {
      this.running -= 1;
    };
  }

  /** Refuses every further call. */
  close(): void {
    this.budget?.close();
  }

  /** Returns the state for the next execution. */
  handOver(): Pick<RunCarried, 'asked' | 'totals'> {
    return { asked: this.status.asked(), totals: this.totals };
  }

  protected override modelsOf({ model }: RunPlan) {
    return { model };
  }

  protected override counted() {
    const { plan } = this;
    const totals = this.sum();
    const { samples, correct, errors, errors_by_type = {}, episodes } = totals;
    return {
      kind: 'run' as const,
      units: { noun: 'sample', planned: plan?.samples_planned ?? 0, ended: samples, running: this.running },
      errors,
      errors_by_type,
      spending: spentOfTotals(totals),
      correct,
      episodes,
      accuracy: accuracyOf(totals),
      ...(plan === undefined ? {} : { accuracy_of: plan.accuracy_of, means: plan.means }),
    };
  }

  /** Adds the totals of earlier executions of the experiment. */
  private sum(): Totals {
    return addTotals([this.plan?.kept ?? noTotals(), this.totals]);
  }

  private checkLimits(): void {
    if (this.status.isExhausted()) return;
    const reached = this.budget?.exhausted() ?? null;
    if (reached !== null) this.exhaust(reached);
  }

  protected override show(): void {
    this.shownAt = Date.now();
    super.show();
  }

  protected override passOn(): void {
    if (this.isOver()) this.close();
    this.onChange();
  }
}
