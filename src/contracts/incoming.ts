import type { RolloutControl, RolloutReport } from './agent-eval.js';
import type { Allotment, Amounts } from './allotment.js';
import type { EvolveTotals, IterationReport, ScaffoldNode } from './evolve.js';
import type { Usage } from './language-model.js';
import type {
  Asked,
  AwayNotice,
  ChildExecution,
  ControlState,
  ShardClaim,
  ShardReport,
  Spending,
  Totals,
} from './run.js';
import {
  type Checks,
  isAmount,
  isCount,
  isNumber,
  isText,
  isTruth,
  listOf,
  orAbsent,
  orNull,
  shaped,
} from './shape.js';
import type { Beside, StepCost, Unkept } from './step-cost.js';

/*
 * Whether a workflow can read what it is sent: anybody who reaches the server can send a signal. Fields that are not
 * named here may come along, since a newer worker may send them.
 */

const isChild = shaped<ChildExecution>({ workflow_id: isText, first: isText, run: isText });

const isUsage = shaped<Usage>({
  input_tokens: isCount,
  output_tokens: isCount,
  reasoning_tokens: orAbsent(isCount),
});
const isUnkept = shaped<Unkept>({ requests: isCount, usage: isUsage, cost_usd: orNull(isAmount) });
const beside: Checks<Beside> = { lm_calls_estimated: orAbsent(isCount), unkept: orAbsent(isUnkept) };
const replies = { lm_calls: isCount, usage: isUsage, cost_usd: orNull(isAmount) };
const { unkept: _unkept, ...estimated } = beside;
const stepCost: Checks<StepCost> = {
  ...replies,
  ...beside,
  counted: orAbsent(shaped<NonNullable<StepCost['counted']>>({ ...replies, ...estimated })),
};

const isAmounts = shaped<Amounts>({ lm_calls: isCount, tokens: isCount, nanodollars: isCount });
// Of what was returned more may be known than of what was allotted.
const isAllotment = shaped<Allotment>({
  lm_calls: isNumber,
  tokens: orNull(isNumber),
  nanodollars: orNull(isNumber),
});

const isClaim = shaped<ShardClaim>({
  spent: isAmounts,
  returned: isAllotment,
  heard: isNumber,
  wanted: isNumber,
  holds: orAbsent(isAllotment),
});

const isTotals = shaped<Totals>({
  samples: isCount,
  correct: isCount,
  errors: isCount,
  episodes: isCount,
  lm_calls: isCount,
  lm_calls_repeated: isCount,
  lm_calls_maybe_repeated: orAbsent(isCount),
  input_tokens: isCount,
  output_tokens: isCount,
  cost_usd: orNull(isAmount),
  ...beside,
});

export const isShardReport = shaped<ShardReport>({
  from: isChild,
  told: isCount,
  shard: isCount,
  version: isCount,
  totals: isTotals,
  claim: orAbsent(isClaim),
  again: orAbsent(isTruth),
  fatal: orAbsent(isText),
});

export const isControlState = shaped<ControlState>({
  version: isCount,
  asks: orAbsent(isTruth),
  allotted: orAbsent(isAllotment),
  paused: isTruth,
  stopping: isTruth,
  exhausted: isTruth,
  hands_over: orAbsent(isTruth),
  concurrency: isCount,
});

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

export const isRolloutReport = shaped<RolloutReport>({
  from: isChild,
  rollout: isText,
  spent: isSpending,
  wants: isCount,
  ask: orAbsent(isCount),
});

export const isRolloutControl = shaped<RolloutControl>({ paused: isTruth, exhausted: isTruth });

const isScored = { iteration: isCount, score: isNumber };

const isNode = shaped<ScaffoldNode>({
  id: isText,
  parent_scaffold_id: orNull(isText),
  iteration: isCount,
  status: isText,
  train: listOf(shaped({ ...isScored, example_id: isText })),
  valid: listOf(shaped(isScored)),
  cost_usd: orAbsent(orNull(isAmount)),
  duplicate_of: orAbsent(isText),
  error: orAbsent(isText),
  fingerprint: orAbsent(isText),
  traits: orAbsent(shaped({ characters: isCount, model_calls: isCount })),
});

export const isIterationReport = shaped<IterationReport>({
  from: isChild,
  lines: listOf(isText),
  nodes: listOf(isNode),
  totals: shaped<EvolveTotals>({ ...stepCost, executions: isCount, executions_failed: isCount }),
});

export const isAwayNotice = shaped<AwayNotice>({ what: isText, message: orNull(isText) });

/** Calls that may be made. */
export const isGrant = (value: unknown): value is number => isCount(value);
