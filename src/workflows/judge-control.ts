import { condition, setCurrentDetails } from '@temporalio/workflow';
import type {
  JudgeCarried,
  JudgedStep,
  JudgeMetrics,
  JudgePlan,
  JudgeProgress,
  JudgeTotals,
} from '../contracts/judge.js';
import type { StepCost } from '../contracts/step-cost.js';
import { addReply, meanScores, noJudgeTotals } from '../judging/totals.js';
import { reachedLimit } from '../runtime/budget.js';
import { addStep, newlyPaid, spendingOf, withMetrics } from '../runtime/step-cost.js';
import { ExperimentControl } from './experiment-control.js';
import { judgeMarkdown } from './judge-markdown.js';

/** A judgement's state: what the judge said so far, and what people ask for. */
export class JudgeControl extends ExperimentControl<JudgePlan> {
  private totals: JudgeTotals;
  /** Calls in flight. */
  private asking = 0;
  private metrics: JudgeMetrics | null = null;
  private running = 0;
  /** Replies that earlier executions have paid for and that were not found yet, as far as this execution knows. */
  private stored: number;

  /** @param before what the execution before hands over, when this one continues it. */
  constructor(before?: Pick<JudgeCarried, 'asked' | 'totals' | 'stored'>) {
    super('judgement', before?.asked);
    this.totals = before?.totals ?? noJudgeTotals();
    this.stored = before?.stored ?? 0;
  }

  /** @param isFirst whether nothing was done of it yet. */
  begin(plan: JudgePlan, isFirst: boolean): void {
    if (isFirst) {
      this.totals = addStep(this.totals, plan.spent);
      this.stored = plan.stored;
    }
    this.planned(plan, { kind: 'judge', model: plan.model });
    this.showPhase();
  }

  /** A step is being judged. */
  began(): void {
    this.running += 1;
    this.show();
  }

  /** A step is no more being judged, whatever came of it. */
  ended(): void {
    this.running -= 1;
    this.show();
  }

  /**
   * Waits until another call may be made, and counts it as made. Calls never exceed their limit; tokens and dollars do
   * by no more than what is in flight. Where a limit is reached, replies that are paid for may still be found.
   * @returns false where no further call may be made at all.
   */
  async mayAsk(): Promise<'new' | 'stored' | false> {
    for (;;) {
      if (this.stored > 0 && this.goesOn() && this.reached() !== null) {
        this.asking += 1;
        return 'stored';
      }
      this.checkLimits();
      if (!this.goesOn()) return false;
      const canAsk = () => !this.standing.waits() && this.hasBudget();
      if (canAsk()) break;
      await condition(() => !this.goesOn() || this.reached() !== null || canAsk());
    }
    this.asking += 1;
    return 'new';
  }

  /** A call that {@link mayAsk} counted has a reply. */
  answered(reply: JudgedStep): void {
    this.asking -= 1;
    this.stored -= reply.counted?.lm_calls ?? 0;
    this.totals = addReply(this.totals, newlyPaid(reply) as JudgedStep);
    this.show();
  }

  /** A call that {@link mayAsk} counted has none, and has cost so much. */
  failed(cost: StepCost): void {
    this.asking -= 1;
    this.totals = addStep(this.totals, cost);
    this.show();
  }

  /** A reply that was looked for among those that are stored is not there: nor are those behind it, mostly. */
  foundNone(): void {
    this.stored = 0;
    this.checkLimits();
  }

  /** A step was given up. */
  gaveUp(): void {
    this.totals = { ...this.totals, errors: this.totals.errors + 1 };
    this.show();
  }

  /** No further call may be made for a step, which has no verdict yet. */
  leftOpen(): void {
    this.unfinished = true;
  }

  handOver(): Pick<JudgeCarried, 'asked' | 'totals' | 'stored'> {
    return { asked: this.standing.asked(), totals: this.totals, stored: this.stored };
  }

  finish(metrics: JudgeMetrics): void {
    this.metrics = metrics;
    this.totals = withMetrics(this.totals, metrics);
    this.setPhase(metrics.status);
  }

  progress(): JudgeProgress {
    const { plan, running, totals } = this;
    const { phase, concurrency, message } = this.standing;
    return {
      kind: 'judge',
      experiment: plan?.experiment ?? '',
      name: plan?.name ?? '',
      phase,
      steps_planned: (plan?.steps ?? []).reduce((sum, steps) => sum + steps, 0),
      running,
      totals,
      mean_scores: meanScores(
        (plan?.criteria ?? []).map(({ name }) => name),
        totals,
      ),
      model: plan?.model ?? '',
      simulated: plan?.simulated ?? false,
      concurrency,
      artifacts: plan?.artifacts ?? '',
      message,
    };
  }

  private reached(): string | null {
    return this.plan === undefined ? null : reachedLimit(this.plan.limits, spendingOf(this.totals));
  }

  /** A limit counts once a call wants to be made: what ends with the last of it has ended well. */
  private checkLimits(): void {
    const reached = this.reached();
    if (reached !== null) this.exhaust(reached);
  }

  private hasBudget(): boolean {
    const spent = spendingOf(this.totals);
    const limits = this.plan?.limits;
    if (limits === undefined) return false;
    return reachedLimit(limits, { ...spent, lm_calls: spent.lm_calls + this.asking }) === null;
  }

  protected override show(): void {
    setCurrentDetails(judgeMarkdown(this.progress(), this.metrics));
  }
}
