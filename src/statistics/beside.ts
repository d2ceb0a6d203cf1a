import type { Beside, Unkept } from '../contracts/step-cost.js';
import { addBeside } from '../runtime/beside.js';
import { roundCost } from './result-row.js';

/** What stands in metrics beside the replies that are kept; what there is none of is left out. */
export function besideOf({ lm_calls_estimated }: Beside, unkept: Unkept | null): Beside {
  return addBeside({ lm_calls_estimated }, unkept === null ? {} : { unkept: rounded(unkept) });
}

function rounded({ cost_usd, ...unkept }: Unkept): Unkept {
  return { ...unkept, cost_usd: cost_usd === null ? null : roundCost(cost_usd) };
}
