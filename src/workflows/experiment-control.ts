import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import type { Limits, ReceivedRequests, RunPhase, UnreachableNotice } from '../contracts/experiment.js';
import { SEARCH_ATTRIBUTES } from '../contracts/names.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import { longestFacts } from '../facts/frame.js';
import { factsOf, type KindFacts, progressAtEnd } from '../facts/kind-facts.js';
import type { ExperimentOutcome } from './conduct.js';
import { ExperimentStatus } from './experiment-status.js';
import { faultText } from './failures.js';
import { markdown } from './markdown.js';
import { Pace } from './pace.js';
import { PartReports } from './part-report.js';
import type { Steered } from './requests.js';
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from './sdk.js';

export interface Planned {
  experiment: string;
  concurrency: number;
  search_attributes: string[];
  artifacts: string;
  limits: Limits;
}

/** Fields of every kind's progress that the control fills without the kind. */
type Frame =
  | 'experiment'
  | 'phase'
  | 'message'
  | 'artifacts'
  | 'models'
  | 'simulated'
  | 'limits'
  | 'concurrency'
  | 'metrics'
  | 'pace';

/**
 * Sets search attributes of the workflow.
 * @param known attributes of the server: an unknown one would fail the workflow task again and again.
 */
function upsertAttributes(
  known: readonly string[],
  values: Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string>>,
): void {
  const pairs = Object.entries(values).flatMap(([key, value]): SearchAttributePair[] => {
    const name = SEARCH_ATTRIBUTES[key as keyof typeof SEARCH_ATTRIBUTES];
    if (!known.includes(name)) return [];
    return [{ key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD), value }];
  });
  if (pairs.length > 0) upsertSearchAttributes(pairs);
}

/**
 * Handles people's requests to an experiment, and shows its progress. Each kind adds its counts, and passes requests on
 * to its parts.
 */
export abstract class ExperimentControl<
  Plan extends Planned,
  Progress extends ExperimentProgress<string, ExperimentMetrics>,
> implements Steered
{
  protected plan: Plan | undefined;
  private metrics: Progress['metrics'] = null;
  protected readonly status: ExperimentStatus;
  /** True if something that was begun has not ended: it continues when the experiment is continued. */
  protected unfinished = false;
  private complete = false;
  private readonly reports = new PartReports();
  private readonly pace = new Pace();

  /**
   * @param what name of the experiment in messages, such as `run`
   * @param facts of its kind
   * @param before requests to the execution before, if this one continues it.
   */
  constructor(
    what: string,
    private readonly facts: KindFacts,
    before?: ReceivedRequests,
  ) {
    this.status = new ExperimentStatus(what, before);
  }

  pause(paused: boolean): void {
    this.status.pause(paused);
    this.passOn();
    this.showPhase();
  }

  /** Reports whether a person has paused the experiment, so that it requests nothing. */
  isPaused(): boolean {
    return this.status.waits();
  }

  /** Finishes what is in flight and begins nothing else. */
  stop(): void {
    this.status.stop();
    this.passOn();
    this.showPhase();
  }

  setConcurrency(concurrency: number): number {
    const before = this.status.setConcurrency(concurrency);
    this.show();
    return before;
  }

  exhaust(why: string): void {
    this.status.exhaust(why);
    this.passOn();
  }

  /** Ends the experiment, since enough is known. */
  protected decide(why: string): void {
    this.status.decide(why);
    this.passOn();
  }

  /** Fails the experiment, since nothing further can succeed: what is in flight ends, and nothing else is begun. */
  fail(why: string): void {
    this.status.fail(why);
    this.passOn();
  }

  fault(error: unknown): void {
    this.fail(faultText(error));
  }

  onUnreachable(notice: UnreachableNotice): void {
    this.status.onUnreachable(notice, Date.now());
    this.show();
  }

  assertRunning(): void {
    this.status.assertGoing();
  }

  assertConcurrency(concurrency: number): void {
    this.status.assertConcurrency(concurrency);
  }

  /** Reports whether more may be begun, now or when the experiment is resumed. */
  continues(): boolean {
    return this.status.continues();
  }

  /** Reports whether one more may be begun. @param going number in flight */
  hasRoom(going: number): boolean {
    return this.status.hasRoom(going);
  }

  /** Notes that everything was begun, and that what was in flight has ended. */
  allBegun(): void {
    this.complete = !this.unfinished;
  }

  outcome(cancelled: boolean): ExperimentOutcome {
    const ended = this.status.outcome(cancelled);
    // A limit or a stop that came when nothing was left to do has prevented nothing.
    const endedEarly = ['limit_reached', 'decided', 'stopped'].includes(ended.status);
    return endedEarly && this.complete ? { status: 'done', message: null } : ended;
  }

  setPhase(phase: RunPhase): void {
    this.status.phase = phase;
    this.showPhase();
  }

  /** Begins the prepared experiment; requests received until now apply. */
  protected planned(plan: Plan, about: { kind: string; model: string }): void {
    this.plan = plan;
    this.status.begin(plan.concurrency);
    upsertAttributes(plan.search_attributes, { experiment: plan.experiment, ...about });
  }

  protected showPhase(): void {
    this.pace.reset();
    upsertAttributes(this.plan?.search_attributes ?? [], { phase: this.status.phase });
    this.show();
  }

  /** Ends the experiment after its artifacts are written: from now on its metrics are shown. */
  finish(metrics: NonNullable<Progress['metrics']>): void {
    this.metrics = metrics;
    this.setPhase(metrics.status);
  }

  /** Answers the `progress` query. */
  progress(counted = this.counted()): Progress {
    const { plan, metrics } = this;
    const { phase, message, concurrency } = this.status;
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
      ...counted,
      pace: phase === 'running' ? this.pace.of(counted.units.planned) : null,
      ...ended,
      limits: plan?.limits ?? null,
      concurrency,
    } as Progress;
  }

  /** Models of the experiment, by their role. */
  protected abstract modelsOf(plan: Plan): Record<string, string | null>;

  /** Units in progress, by name: when each was begun, in milliseconds since 1970. None where parts show their own. */
  protected inProgress(): Iterable<readonly [name: string, since: number]> {
    return [];
  }

  /** Kind's own part of the progress while it works. */
  protected abstract counted(): Omit<Progress, Frame>;

  /** Shows the progress in the Temporal UI. */
  protected show(): void {
    const counted = this.counted();
    this.pace.note(Date.now(), counted.units.ended);
    const progress = this.progress(counted);
    const facts = [...factsOf(progress, this.facts), ...longestFacts(this.inProgress(), Date.now())];
    setCurrentDetails(markdown(progress.experiment, facts));
    if (progress.phase === 'running') this.reports.report(progress);
  }

  /** Passes requests on to the parts of the experiment. */
  protected passOn(): void {}
}
