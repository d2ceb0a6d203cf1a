import type { Asked, BudgetReport, ChildExecution, Spending, UnreachableNotice } from './experiment.js';
import type { Usage } from './language-model.js';
import { type Checks, isAmount, isCount, isText, isTruth, orAbsent, orNull, shaped } from './shape.js';
import type { Beside, StepCost, Unrecorded } from './step-cost.js';

/*
 * Checks of what a workflow receives: anybody who reaches the server can send a signal. Other fields than those named
 * here are accepted, since a newer worker may send them.
 */

export const isChild = shaped<ChildExecution>({ workflow_id: isText, first: isText, run: isText });

const isUsage = shaped<Usage>({
  input_tokens: isCount,
  output_tokens: isCount,
  reasoning_tokens: orAbsent(isCount),
});
const isUnrecorded = shaped<Unrecorded>({ requests: isCount, usage: isUsage, cost_usd: orNull(isAmount) });
export const besideChecks: Checks<Beside> = {
  lm_calls_cut_off: orAbsent(isCount),
  lm_calls_estimated: orAbsent(isCount),
  unrecorded: orAbsent(isUnrecorded),
};
const replies = { lm_calls: isCount, usage: isUsage, cost_usd: orNull(isAmount) };
const { unrecorded: _unrecorded, ...estimated } = besideChecks;
export const stepCost: Checks<StepCost> = {
  ...replies,
  ...besideChecks,
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
  unrecorded: orAbsent(isCount),
  tokens: isCount,
  cost_usd: orNull(isAmount),
});

export const isBudgetReport = shaped<BudgetReport>({
  spent: isSpending,
  granted: isCount,
  returned: isCount,
  requested: isCount,
});

export const isUnreachableNotice = shaped<UnreachableNotice>({ what: isText, message: orNull(isText) });

/** Reports whether a value is a total number of granted calls. */
export const isGrant = (value: unknown): value is number => isCount(value);
