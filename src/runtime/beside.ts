import type { Spending } from '../contracts/experiment.js';
import type { Usage } from '../contracts/language-model.js';
import type { Beside, Unkept } from '../contracts/step-cost.js';
import { addCosts } from './add-costs.js';

/** As far as either is known. */
function addReasoning(left: Usage, right: Usage): Pick<Usage, 'reasoning_tokens'> {
  const { reasoning_tokens: one } = left;
  const { reasoning_tokens: other } = right;
  return one === undefined && other === undefined ? {} : { reasoning_tokens: (one ?? 0) + (other ?? 0) };
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    ...addReasoning(left, right),
  };
}

/** Of two; null where there is none. */
export function addUnkept(left: Unkept | null | undefined, right: Unkept | null | undefined): Unkept | null {
  if (!left) return right ?? null;
  if (!right) return left;
  return {
    requests: left.requests + right.requests,
    usage: addUsage(left.usage, right.usage),
    cost_usd: addCosts(left.cost_usd, right.cost_usd),
  };
}

/** The sum, as the fields of a total: what there is none of is left out. */
export function addBeside(left: Beside, right: Beside): Beside {
  const estimated = (left.lm_calls_estimated ?? 0) + (right.lm_calls_estimated ?? 0);
  const unkept = addUnkept(left.unkept, right.unkept);
  return {
    ...(estimated === 0 ? {} : { lm_calls_estimated: estimated }),
    ...(unkept === null ? {} : { unkept }),
  };
}

/** What limits count: replies that are kept, and every other request that was sent. */
export function withUnkept(kept: Spending, { unkept }: Beside): Spending {
  if (unkept === undefined) return kept;
  const { requests, usage, cost_usd } = unkept;
  return {
    lm_calls: kept.lm_calls + requests,
    unkept: (kept.unkept ?? 0) + requests,
    tokens: kept.tokens + usage.input_tokens + usage.output_tokens,
    cost_usd: addCosts(kept.cost_usd, cost_usd),
  };
}

/** What so many requests cost that were sent for the reply of one. */
export function timesRequested(
  requests: number,
  { usage, cost_usd }: Pick<Unkept, 'cost_usd'> & { usage?: Usage },
): Unkept | null {
  if (requests === 0) return null;
  const { input_tokens = 0, output_tokens = 0 } = usage ?? {};
  return {
    requests,
    usage: { input_tokens: requests * input_tokens, output_tokens: requests * output_tokens },
    cost_usd: cost_usd === null ? null : requests * cost_usd,
  };
}
