import { spentOf } from '../../../runtime/step-cost.js';
import { UnitsControl, type UnitsHandedOver } from '../../../workflows/units-control.js';
import type { OwnKindPlan, OwnKindProgress, OwnKindTotals } from '../contracts.js';
import { OWN_KIND_FACTS } from '../facts.js';
import { noOwnKindTotals } from '../scores.js';

/** State of an experiment of a user's own kind: the totals of its samples, and the requests of people. */
export class OwnKindControl extends UnitsControl<OwnKindPlan, OwnKindProgress, OwnKindTotals> {
  /** @param before state of the previous execution, if this one continues it. */
  constructor(before?: UnitsHandedOver<OwnKindTotals>) {
    super('experiment', OWN_KIND_FACTS, before, noOwnKindTotals());
  }

  /** @param isFirst true unless this execution continues another. */
  begin(plan: OwnKindPlan, isFirst: boolean): void {
    const { accounts } = this;
    if (isFirst) accounts.totals = { ...accounts.totals, ended: plan.finished.length, scores: plan.scores };
    const [first] = Object.values(plan.models);
    this.beginUnits(plan, isFirst, { kind: 'own-kind', model: first?.model ?? '' });
  }

  protected override modelsOf({ models }: OwnKindPlan) {
    return Object.fromEntries(Object.entries(models).map(([role, { model }]) => [role, model]));
  }

  protected override counted() {
    const { plan, running, totals } = this;
    const { ended, errors, errors_by_type = {}, scores } = totals;
    return {
      kind: 'own-kind' as const,
      ...(plan?.means === undefined ? {} : { means: plan.means }),
      units: { noun: 'sample', planned: plan?.samples ?? 0, ended: ended + errors, running },
      errors,
      errors_by_type,
      spending: spentOf(totals),
      kind_name: plan?.kind_name ?? '',
      scores: Object.fromEntries(
        Object.entries(scores).map(([name, { sum, samples, is_share }]) => [
          name,
          { mean: sum / samples, is_share },
        ]),
      ),
    };
  }
}
