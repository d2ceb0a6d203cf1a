import type { Beside, Unrecorded } from '../contracts/step-cost.js';
import { addBeside } from '../runtime/beside.js';
import { roundCost } from './result-row.js';

/** Builds the fields of the metrics for usage outside of the recorded replies; empty ones are left out. */
export function besideOf(counts: Omit<Beside, 'unrecorded'>, unrecorded: Unrecorded | null): Beside {
  const { lm_calls_cut_off, lm_calls_estimated } = counts;
  return addBeside(
    { lm_calls_cut_off, lm_calls_estimated },
    unrecorded === null ? {} : { unrecorded: rounded(unrecorded) },
  );
}

function rounded({ cost_usd, ...unrecorded }: Unrecorded): Unrecorded {
  return { ...unrecorded, cost_usd: cost_usd === null ? null : roundCost(cost_usd) };
}
