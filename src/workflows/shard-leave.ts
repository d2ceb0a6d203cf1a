import type { Amounts } from '../contracts/allotment.js';
import type { ShardInput } from '../contracts/run.js';
import { CallGate } from '../runtime/call-gate.js';
import { advance, newShardBudget } from '../runtime/shard-budget.js';

/**
 * Where a shard's calls wait for leave to begin; null where the run has no limits.
 * @param spent all that the shard has spent until now
 * @param changed hears that what the shard holds of the limits has changed
 */
export function openGate(
  { control: { allotted }, carried }: ShardInput,
  { spent, changed }: { spent: () => Amounts; changed: () => void },
): CallGate | null {
  if (allotted === undefined) return null;
  const budget = carried?.budget ?? newShardBudget(allotted);
  return new CallGate(advance(budget, { type: 'allotted', allotted }), spent, changed);
}
