import type { Asked, AwayNotice, Limits, RunPhase } from '../contracts/experiment.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import { factsOf, type KindFacts, progressAtEnd } from '../facts/kind-facts.js';
import { upsertAttributes } from './attributes.js';
import type { Outcome } from './conduct.js';
import { faultText } from './failures.js';
import { markdown } from './markdown.js';
import type { Steered } from './requests.js';
import { setCurrentDetails, workflowInfo } from './sdk.js';
import { Standing } from './standing.js';

export interface Planned {
  experiment: string;
  concurrency: number;
  search_attributes: string[];
  artifacts: string;
  limits: Limits;
}

/** What is the same of every kind's progress, as far as its control knows it without the kind. */
type Frame =
  | 'experiment'
  | 'phase'
  | 'message'
  | 'artifacts'
  | 'models'
  | 'simulated'
  | 'limits'
  | 'concurrency'
  | 'metrics';

/**
 * Takes what people ask of an experiment, and shows how far it is. Each kind adds what it counts, and says to whom it
 * passes on what is asked.
 */
export abstract class ExperimentControl<
  Plan extends Planned,
  Progress extends ExperimentProgress<string, ExperimentMetrics>,
> implements Steered
{
  protected plan: Plan | undefined;
  private metrics: Progress['metrics'] = null;
  protected readonly standing: Standing;
  /** Something that was begun has not come to its end: it goes on when the experiment is continued. */
  protected unfinished = false;
  private complete = false;

  /**
   * @param what names the experiment in messages: `run`, for one
   * @param facts what its kind says of it
   * @param before what was asked of the execution before, when this one continues it.
   */
  constructor(
    what: string,
    private readonly facts: KindFacts,
    before?: Asked,
  ) {
    this.standing = new Standing(what, before);
  }

  pause(paused: boolean): void {
    this.standing.pause(paused);
    this.passOn();
    this.showPhase();
  }

  /** Whether nothing is asked for, by a person's wish. */
  isPaused(): boolean {
    return this.standing.waits();
  }

  /** Finishes what is in flight and begins nothing else. */
  stop(): void {
    this.standing.stop();
    this.passOn();
    this.showPhase();
  }

  setConcurrency(concurrency: number): number {
    const before = this.standing.setConcurrency(concurrency);
    this.show();
    return before;
  }

  exhaust(why: string): void {
    this.standing.exhaust(why);
    this.passOn();
  }

  /** Nothing further can succeed: what is in flight ends, and nothing else is begun. */
  fail(why: string): void {
    this.standing.fail(why);
    this.passOn();
  }

  fault(error: unknown): void {
    this.fail(faultText(error));
  }

  hearAway(notice: AwayNotice): void {
    this.standing.hearAway(notice, Date.now());
    this.show();
  }

  assertRunning(): void {
    this.standing.assertGoing();
  }

  assertConcurrency(concurrency: number): void {
    this.standing.assertConcurrency(concurrency);
  }

  /** Whether more may be begun, now or when the experiment is resumed. */
  goesOn(): boolean {
    return this.standing.goesOn();
  }

  /** Whether one more may be begun beside so many. */
  hasRoom(going: number): boolean {
    return this.standing.hasRoom(going);
  }

  /** Everything was begun, and what was in flight has come to an end. */
  allBegun(): void {
    this.complete = !this.unfinished;
  }

  outcome(cancelled: boolean): Outcome {
    const ended = this.standing.outcome(cancelled);
    // A limit that was met, or a stop that was asked for, when nothing was left to do took nothing away.
    const nothingLost = this.complete && (ended.status === 'limit_reached' || ended.status === 'stopped');
    return nothingLost ? { status: 'done', message: null } : ended;
  }

  setPhase(phase: RunPhase): void {
    this.standing.phase = phase;
    this.showPhase();
  }

  /** The experiment is prepared: what was asked for until now holds. */
  protected planned(plan: Plan, about: { kind: string; model: string }): void {
    this.plan = plan;
    this.standing.begin(plan.concurrency);
    upsertAttributes(plan.search_attributes, { experiment: plan.experiment, ...about });
  }

  protected showPhase(): void {
    upsertAttributes(this.plan?.search_attributes ?? [], { phase: this.standing.phase });
    this.show();
  }

  /** The artifacts are written: what is shown from now on is what their metrics say. */
  finish(metrics: NonNullable<Progress['metrics']>): void {
    this.metrics = metrics;
    this.setPhase(metrics.status);
  }

  /** Answers the `progress` query. */
  progress(): Progress {
    const { plan, metrics } = this;
    const { phase, message, concurrency } = this.standing;
    const artifacts = plan?.artifacts ?? '';
    const models = plan === undefined ? {} : this.modelsOf(plan);
    const ended = metrics === null ? {} : progressAtEnd({ artifacts, metrics }, this.facts);
    return {
      experiment: plan?.experiment ?? workflowInfo().workflowId,
      phase,
      message,
      artifacts,
      metrics,
      models,
      simulated: Object.values(models).some((model) => model?.startsWith('simulated/')),
      ...this.counted(),
      ...ended,
      limits: plan?.limits ?? null,
      concurrency,
    } as Progress;
  }

  /** The models in it, by what they do. */
  protected abstract modelsOf(plan: Plan): Record<string, string | null>;

  /** What the kind knows of its progress while it works. */
  protected abstract counted(): Omit<Progress, Frame>;

  /** Shows in the Temporal UI how far it has come. */
  protected show(): void {
    const progress = this.progress();
    setCurrentDetails(markdown(progress.experiment, factsOf(progress, this.facts)));
  }

  /** Tells whoever works for it what is asked. */
  protected passOn(): void {}
}
