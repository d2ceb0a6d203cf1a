import type { Spending } from '../contracts/experiment.js';
import type { CallRecord } from '../contracts/language-model.js';
import type { Spent } from '../contracts/progress.js';
import type { StepCost, Unrecorded } from '../contracts/step-cost.js';
import { addCosts } from './add-costs.js';
import { addBeside, addUsage, combineCounts, countsOfReply, withUnrecorded } from './beside.js';

/** Returns the cost of a step without calls. */
export function noStepCost(): StepCost {
  return { lm_calls: 0, usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: 0 };
}

/** Fields of a call that its cost is made of. */
export type CostedCall = Pick<CallRecord, 'usage' | 'usage_estimated' | 'finish_reason' | 'cost_usd'>;

/** Returns the cost of one model call whose reply is kept. */
export function costOfCall(call: CostedCall): StepCost {
  const { usage = { input_tokens: 0, output_tokens: 0 }, cost_usd } = call;
  return { lm_calls: 1, usage, cost_usd, ...countsOfReply(call) };
}

/** Returns the cost of unrecorded requests. */
export function costOfUnrecorded(unrecorded: Unrecorded | null): StepCost {
  return unrecorded === null ? noStepCost() : { ...noStepCost(), unrecorded };
}

/** Returns the part of a cost that counts in an experiment's totals and limits: all that no earlier execution paid. */
export function newlyPaid<Cost extends StepCost>(cost: Cost): Omit<Cost, 'counted'> {
  const { counted, ...all } = cost;
  if (counted === undefined) return all;
  const { lm_calls_estimated: _estimated, lm_calls_cut_off: _cutOff, ...rest } = all;
  return { ...rest, ...costBeyond(cost, counted) } as Omit<Cost, 'counted'>;
}

/** Returns the cost of kept replies, whoever paid for them. */
export function keptOf<Cost extends StepCost>(cost: Cost): Omit<Cost, 'unrecorded' | 'counted'> {
  const { unrecorded: _unrecorded, counted: _counted, ...kept } = cost;
  return kept;
}

/** Returns the part of a cost that was not paid before, for replies that were found again. */
export function costBeyond(cost: StepCost, paid: StepCost): StepCost {
  const beyond = (all: number, before: number) => Math.max(all - before, 0);
  const { lm_calls, usage, cost_usd, unrecorded } = cost;
  return {
    lm_calls: beyond(lm_calls, paid.lm_calls),
    usage: {
      input_tokens: beyond(usage.input_tokens, paid.usage.input_tokens),
      output_tokens: beyond(usage.output_tokens, paid.usage.output_tokens),
    },
    cost_usd: cost_usd === null || paid.cost_usd === null ? null : beyond(cost_usd, paid.cost_usd),
    ...combineCounts(cost, paid, beyond),
    ...(unrecorded === undefined ? {} : { unrecorded }),
    ...(cost.counted === undefined
      ? {}
      : { counted: costBeyond(cost.counted, paid.counted ?? noStepCost()) }),
  };
}

function addCounted({ counted: left }: StepCost, { counted: right }: StepCost): Pick<StepCost, 'counted'> {
  if (left === undefined || right === undefined) {
    const counted = left ?? right;
    return counted === undefined ? {} : { counted };
  }
  return { counted: addStep<StepCost>(left, right) };
}

/** Adds the cost of a step to totals. */
export function addStep<Totals extends StepCost>(totals: Totals, cost: StepCost): Totals {
  return {
    ...totals,
    lm_calls: totals.lm_calls + cost.lm_calls,
    usage: addUsage(totals.usage, cost.usage),
    cost_usd: addCosts(totals.cost_usd, cost.cost_usd),
    ...addBeside(totals, cost),
    ...addCounted(totals, cost),
  };
}

/** Returns the calls, tokens and cost of totals. */
export function spentOf({ lm_calls, usage, cost_usd, ...rest }: StepCost): Spent {
  return { lm_calls, usage, cost_usd, ...addBeside(rest, {}) };
}

export const NOTHING_SPENT: Spending = { lm_calls: 0, tokens: 0, cost_usd: 0 };

/** Adds two amounts that limits count. */
export function addSpending(left: Spending, right: Spending): Spending {
  const unrecorded = (left.unrecorded ?? 0) + (right.unrecorded ?? 0);
  return {
    lm_calls: left.lm_calls + right.lm_calls,
    ...(unrecorded === 0 ? {} : { unrecorded }),
    tokens: left.tokens + right.tokens,
    cost_usd: addCosts(left.cost_usd, right.cost_usd),
  };
}

/** Returns what is left of an amount without another; nothing where that is larger. */
export function spendingBeyond(all: Spending, part: Spending): Spending {
  const beyond = (left: number, right: number) => Math.max(left - right, 0);
  return {
    lm_calls: beyond(all.lm_calls, part.lm_calls),
    tokens: beyond(all.tokens, part.tokens),
    cost_usd: all.cost_usd === null ? null : beyond(all.cost_usd, part.cost_usd ?? 0),
  };
}

export function spendingOf({ lm_calls, usage, cost_usd, ...beside }: StepCost): Spending {
  return withUnrecorded({ lm_calls, tokens: usage.input_tokens + usage.output_tokens, cost_usd }, beside);
}
