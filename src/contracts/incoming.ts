import type { Asked, AwayNotice, BudgetStanding, ChildExecution, Spending } from './experiment.js';
import type { Usage } from './language-model.js';
import { type Checks, isAmount, isCount, isText, isTruth, orAbsent, orNull, shaped } from './shape.js';
import type { Beside, StepCost, Unkept } from './step-cost.js';

/*
 * Whether a workflow can read what it is sent: anybody who reaches the server can send a signal. Fields that are not
 * named here may come along, since a newer worker may send them.
 */

export const isChild = shaped<ChildExecution>({ workflow_id: isText, first: isText, run: isText });

const isUsage = shaped<Usage>({
  input_tokens: isCount,
  output_tokens: isCount,
  reasoning_tokens: orAbsent(isCount),
});
const isUnkept = shaped<Unkept>({ requests: isCount, usage: isUsage, cost_usd: orNull(isAmount) });
const beside: Checks<Beside> = { lm_calls_estimated: orAbsent(isCount), unkept: orAbsent(isUnkept) };
const replies = { lm_calls: isCount, usage: isUsage, cost_usd: orNull(isAmount) };
const { unkept: _unkept, ...estimated } = beside;
export const stepCost: Checks<StepCost> = {
  ...replies,
  ...beside,
  counted: orAbsent(shaped<NonNullable<StepCost['counted']>>({ ...replies, ...estimated })),
};

export const isAsked = shaped<Asked>({
  paused: isTruth,
  stopping: isTruth,
  exhausted: orNull(isText),
  concurrency: isCount,
});

const isSpending = shaped<Spending>({
  lm_calls: isCount,
  unkept: orAbsent(isCount),
  tokens: isCount,
  cost_usd: orNull(isAmount),
});

export const isBudgetStanding = shaped<BudgetStanding>({
  spent: isSpending,
  granted: isCount,
  returned: isCount,
  requested: isCount,
});

export const isAwayNotice = shaped<AwayNotice>({ what: isText, message: orNull(isText) });

/** Calls that were granted in all. */
export const isGrant = (value: unknown): value is number => isCount(value);
