import type { CallRecord } from '../contracts/language-model.js';
import type { Spending } from '../contracts/run.js';
import type { StepCost } from '../contracts/step-cost.js';
import { addCosts } from './totals.js';

/** Of a step that paid for nothing. */
export function noStepCost(): StepCost {
  return { lm_calls: 0, usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: 0 };
}

/** Of one call of a model. */
export function costOfCall({ usage, cost_usd }: Pick<CallRecord, 'usage' | 'cost_usd'>): StepCost {
  const { input_tokens = 0, output_tokens = 0 } = usage ?? {};
  return { lm_calls: 1, usage: { input_tokens, output_tokens }, cost_usd };
}

/** The totals after a step. */
export function addStep<Totals extends StepCost>(totals: Totals, cost: StepCost): Totals {
  return {
    ...totals,
    lm_calls: totals.lm_calls + cost.lm_calls,
    usage: {
      input_tokens: totals.usage.input_tokens + cost.usage.input_tokens,
      output_tokens: totals.usage.output_tokens + cost.usage.output_tokens,
    },
    cost_usd: addCosts(totals.cost_usd, cost.cost_usd),
  };
}

/** What limits count. */
export function spendingOf({ lm_calls, usage, cost_usd }: StepCost): Spending {
  return { lm_calls, tokens: usage.input_tokens + usage.output_tokens, cost_usd };
}
