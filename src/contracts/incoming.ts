import type {
  BudgetReport,
  ChildExecution,
  ReceivedRequests,
  Spending,
  UnreachableNotice,
} from './experiment.js';
import type { Usage } from './language-model.js';
import type { Beside, StepCost, Unrecorded } from './step-cost.js';

/*
 * Checks of what a workflow receives: anybody who reaches the server can send a signal. Other fields than those named
 * here are accepted, since a newer worker may send them.
 */

/** Reports whether a value is valid. */
type Check = (value: unknown) => boolean;

/** Checks of all fields, including optional ones. */
type Checks<Shape> = { [Field in keyof Required<Shape>]: Check };

export const isText: Check = (value) => typeof value === 'string';
export const isTruth: Check = (value) => typeof value === 'boolean';
/** True for a finite number. */
export const isNumber: Check = (value) => Number.isFinite(value);
/** True for a finite number that is not negative. */
export const isAmount: Check = (value) => Number.isFinite(value) && (value as number) >= 0;
/** Reports whether a value is a whole number that is not negative. */
export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

export const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** Returns a check for an object with at least these fields. */
export function shaped<Shape>(checks: Checks<Shape>): (value: unknown) => value is Shape {
  const fields = Object.entries<Check>(checks);
  return (value): value is Shape =>
    typeof value === 'object' &&
    value !== null &&
    fields.every(([field, check]) => check((value as Record<string, unknown>)[field]));
}

export const isChild = shaped<ChildExecution>({ workflow_id: isText, first: isText, run: isText });

const isUsage = shaped<Usage>({
  input_tokens: isCount,
  output_tokens: isCount,
  reasoning_tokens: orAbsent(isCount),
  cache_write_tokens: orAbsent(isCount),
  cache_write_1h_tokens: orAbsent(isCount),
  service_tier: orAbsent(isText),
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

export const isAsked = shaped<ReceivedRequests>({
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
