import type { Spending } from '../../../contracts/experiment.js';
import {
  besideChecks,
  isAmount,
  isCount,
  listOf,
  orAbsent,
  orNull,
  shaped,
} from '../../../contracts/incoming.js';
import { defineQuery, defineUpdate } from '../../../workflows/sdk.js';
import type { BundleTotals, Dealt, LaneOrders, LaneRequest, Totals } from '../contracts.js';
import { DEAL_LANES, LANE_ORDERS } from '../contracts.js';

export const dealUpdate = defineUpdate<Dealt, [LaneRequest]>(DEAL_LANES);
export const ordersQuery = defineQuery<LaneOrders, [number]>(LANE_ORDERS);

const isTotals = shaped<Totals>({
  ...besideChecks,
  samples: isCount,
  correct: isCount,
  errors: isCount,
  errors_by_type: orAbsent(
    (value) => typeof value === 'object' && value !== null && listOf(isCount)(Object.values(value)),
  ),
  episodes: isCount,
  lm_calls: isCount,
  lm_calls_repeated: isCount,
  lm_calls_maybe_repeated: orAbsent(isCount),
  input_tokens: isCount,
  output_tokens: isCount,
  cost_usd: orNull(isAmount),
});

const isSpending = shaped<Spending>({
  lm_calls: isCount,
  unrecorded: orAbsent(isCount),
  tokens: isCount,
  cost_usd: orNull(isAmount),
});

/** Reports whether a value is the report of a bundle. */
export const isDeal = shaped<LaneRequest>({
  bundle: isCount,
  attempt: isCount,
  want: isCount,
  ended: listOf(isCount),
  running: isCount,
  oldest: orAbsent(listOf(isCount)),
  totals: shaped<BundleTotals>({ ended: isTotals, open: isTotals, found: isSpending }),
  calls: orAbsent(
    shaped<NonNullable<LaneRequest['calls']>>({ granted: isCount, returned: isCount, requested: isCount }),
  ),
});
