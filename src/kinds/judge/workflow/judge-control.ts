import type { StepCost } from '../../../contracts/step-cost.js';
import { Budget } from '../../../runtime/budget.js';
import { addStep, newlyPaid, spendingOf, spentOf } from '../../../runtime/step-cost.js';
import { withErrors } from '../../../statistics/error-tally.js';
import { sumOf } from '../../../statistics/sums.js';
import { ExperimentControl } from '../../../workflows/experiment-control.js';
import { condition } from '../../../workflows/sdk.js';
import type { JudgeCarried, JudgedStep, JudgePlan, JudgeProgress, JudgeTotals } from '../contracts.js';
import { JUDGE_FACTS } from '../facts.js';
import { addReply, meanScores, noJudgeTotals } from '../judging/totals.js';

/** A judgement's state: what the judge said so far, and what people ask for. */
export class JudgeControl extends ExperimentControl<JudgePlan, JudgeProgress> {
  private totals: JudgeTotals;
  private budget: Budget | undefined;
  private running = 0;
  /** Replies that earlier executions have paid for and that were not found yet, as far as this execution knows. */
  private stored: number;

  /** @param before what the execution before hands over, when this one continues it. */
  constructor(before?: Pick<JudgeCarried, 'asked' | 'totals' | 'stored'>) {
    super('judgement', JUDGE_FACTS, before?.asked);
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
    this.budget = new Budget(plan.limits, () => spendingOf(this.totals));
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
   * Waits until another call may begin. Where a limit is reached, replies that are paid for may still be found.
   * @returns false where no further call may begin at all.
   */
  async mayAsk(): Promise<'new' | 'stored' | false> {
    if (this.isPaused()) await condition(() => !this.isPaused() || !this.goesOn());
    if (!this.goesOn()) return false;
    if (await this.budget?.requestOne()) return 'new';
    if (this.stored > 0 && this.goesOn()) return 'stored';
    this.checkLimits();
    return false;
  }

  /** A call that {@link mayAsk} let begin has a reply. */
  answered(reply: JudgedStep, asked: 'new' | 'stored'): void {
    this.stored -= reply.counted?.lm_calls ?? 0;
    this.totals = addReply(this.totals, newlyPaid(reply) as JudgedStep);
    this.paid(asked);
  }

  /** A call that {@link mayAsk} let begin has none, and has cost so much. */
  failed(cost: StepCost, asked: 'new' | 'stored'): void {
    this.totals = addStep(this.totals, cost);
    this.paid(asked);
  }

  /** A reply that was looked for among those that are stored is not there: nor are those behind it, mostly. */
  foundNone(): void {
    this.stored = 0;
    this.checkLimits();
  }

  /** A step was given up. @param type of its error */
  gaveUp(type: string): void {
    const { errors, errors_by_type } = this.totals;
    this.totals = { ...this.totals, errors: errors + 1, errors_by_type: withErrors(errors_by_type, type) };
    this.show();
  }

  /** No further call may be made for a step, which has no verdict yet. */
  leftOpen(): void {
    this.unfinished = true;
  }

  handOver(): Pick<JudgeCarried, 'asked' | 'totals' | 'stored'> {
    return { asked: this.standing.asked(), totals: this.totals, stored: this.stored };
  }

  protected override modelsOf({ model }: JudgePlan) {
    return { judge: model };
  }

  protected override counted() {
    const { plan, running, totals } = this;
    const { judged, errors, errors_by_type = {}, malformed } = totals;
    return {
      kind: 'judge' as const,
      units: { noun: 'step', planned: sumOf(plan?.steps ?? []), ended: judged + errors, running },
      errors,
      errors_by_type,
      spending: spentOf(totals),
      name: plan?.name ?? '',
      mean_scores: meanScores(
        (plan?.criteria ?? []).map(({ name }) => name),
        totals,
      ),
      malformed_replies: malformed,
    };
  }

  private paid(asked: 'new' | 'stored'): void {
    if (asked === 'new') this.budget?.ended();
    this.show();
  }

  /** A limit counts once a call is to begin: what ends with the last of it has ended well. */
  private checkLimits(): void {
    const reached = this.budget?.exhausted() ?? null;
    if (reached !== null) this.exhaust(reached);
  }

  protected override passOn(): void {
    if (!this.goesOn()) this.budget?.close();
  }
}
