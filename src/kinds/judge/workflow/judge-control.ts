import { spentOf } from '../../../runtime/step-cost.js';
import { sumOf } from '../../../statistics/sums.js';
import { UnitsControl, type UnitsHandedOver } from '../../../workflows/units-control.js';
import type { JudgePlan, JudgeProgress, JudgeTotals } from '../contracts.js';
import { JUDGE_FACTS } from '../facts.js';
import { meanScores, noJudgeTotals } from '../judging/totals.js';

/** Control of a judgement: its totals, and the requests of people. */
export class JudgeControl extends UnitsControl<JudgePlan, JudgeProgress, JudgeTotals> {
  /** @param before state of the previous execution, if this one continues it. */
  constructor(before?: UnitsHandedOver<JudgeTotals>) {
    super('judgement', JUDGE_FACTS, before, noJudgeTotals());
  }

  /** @param isFirst true unless this execution continues another one. */
  begin(plan: JudgePlan, isFirst: boolean): void {
    this.beginUnits(plan, isFirst, { kind: 'judge', model: plan.model });
  }

  protected override modelsOf({ model }: JudgePlan) {
    return { judge: model };
  }

  protected override counted() {
    const { plan, running, totals } = this;
    const { judged, errors, errors_by_type = {}, malformed } = totals;
    return {
      kind: 'judge' as const,
      ...(plan?.means === undefined ? {} : { means: plan.means }),
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
}
