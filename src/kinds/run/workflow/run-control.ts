import type { GeneratedReply } from '../../../contracts/language-model.js';
import type { Unkept } from '../../../contracts/step-cost.js';
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
  bookUnkept,
  noTotals,
  type Standing,
  spendingOfTotals,
  spentOfTotals,
} from '../lane/totals.js';

/** Milliseconds between two times that the Temporal UI is told how far it is. */
const SHOWN_EVERY = 1000;

/** A run's state: what its lanes have done, what people ask for, what is left to spend. */
export class RunControl extends ExperimentControl<RunPlan, RunProgress> {
  /** What this execution and those that it continues have done. */
  private readonly totals: Totals;
  private budget: Budget | undefined;
  private shownAt = Number.NEGATIVE_INFINITY;
  /** Samples that lanes are working on. */
  private running = 0;
  /** Hears that another number of lanes is asked for, or that the run may not go on. */
  onChange: () => void = () => undefined;

  /** @param before what the execution before hands over, when this one continues it. */
  constructor(before?: Pick<RunCarried, 'asked' | 'totals'>) {
    super('run', RUN_FACTS, before?.asked);
    this.totals = before?.totals ?? noTotals();
  }

  begin(plan: RunPlan): void {
    // Asked for before anybody could know that the samples go one by one.
    if (plan.memory_scope === 'run') this.standing.setConcurrency(plan.concurrency);
    this.planned(plan, { kind: 'run', model: plan.model });
    this.budget = new Budget(plan.limits, () => spendingOfTotals(this.sum()));
    this.checkLimits();
    this.showPhase();
  }

  get lanes(): number {
    return this.standing.concurrency;
  }

  /** Whether an episode in flight ends, and no other one begins. */
  mustEnd(): boolean {
    return !this.standing.goesOn();
  }

  /** Whether no further call may be made, not even by an episode in flight. */
  isOver(): boolean {
    return this.standing.isOver();
  }

  /** Whether a call may begin; where that is to be waited for, once it may. It ends as answered or failed. */
  mayCall(): boolean | Promise<boolean> {
    return this.budget?.requestOne() ?? false;
  }

  /** A call that {@link mayCall} let begin has a reply. */
  answered(reply: GeneratedReply): void {
    // What an earlier execution has paid for is in `kept`.
    if (reply.counted) bookUnkept(this.totals, reply.unkept ?? null);
    else bookCall(this.totals, reply);
    this.budget?.ended();
    this.checkLimits();
  }

  /** A call that {@link mayCall} let begin has none, and its requests have cost so much. */
  failed(unkept: Unkept | null): void {
    bookUnkept(this.totals, unkept);
    this.budget?.ended();
    this.checkLimits();
  }

  /** A search has paid for vectors. */
  paid(embeddings: NonNullable<FoundExperiences['embeddings']>): void {
    bookEmbeddings(this.totals, embeddings);
    this.checkLimits();
  }

  /** An episode has ended; `before` is how the sample's earlier trial was booked, if there was one. */
  ended(standing: Standing, before: Standing | undefined): void {
    bookEpisode(this.totals, standing, before);
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

  /** A lane is being worked on. @returns what is called when it is no more. */
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

  /** For an execution that continues this one. */
  handOver(): Pick<RunCarried, 'asked' | 'totals'> {
    return { asked: this.standing.asked(), totals: this.totals };
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

  /** With what earlier executions of the experiment have done. */
  private sum(): Totals {
    return addTotals([this.plan?.kept ?? noTotals(), this.totals]);
  }

  private checkLimits(): void {
    if (this.standing.isExhausted()) return;
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
