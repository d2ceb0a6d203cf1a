import { AttemptJournal } from '../../../activities/attempt-journal.js';
import type { StepCost } from '../../../contracts/step-cost.js';
import { combineCounts } from '../../../runtime/beside.js';
import { addStep, type CostedCall, costOfCall, noStepCost } from '../../../runtime/step-cost.js';

/** Notes of an attempt to run a scaffold, for the next one. */
export interface ExecutionNotes {
  /** Attempts that ended with a failure. Every other one was interrupted by a crash. */
  failures: number;
  /** Consecutive attempts without a result, because of others, and without progress. */
  lost: number;
  /** Replies that the last such attempt found in the store. */
  recalled: number;
  /** Cost of replies in all attempts. */
  paid: StepCost;
}

export function executionNotes(): ExecutionNotes {
  const begin = { failures: 0, lost: 0, recalled: 0, paid: noStepCost() };
  return AttemptJournal.of().part<ExecutionNotes>('execution', begin);
}

/** Adds a call to a cost. */
export function addCallCost(cost: StepCost, call: CostedCall): void {
  Object.assign(cost, addStep(cost, costOfCall(call)));
}

/** Adds a call to the part of a cost that an earlier execution has paid. */
export function bookCounted(cost: StepCost, call: CostedCall): void {
  cost.counted = addStep(cost.counted ?? noStepCost(), costOfCall(call));
}

/**
 * Returns the larger of two costs, figure by figure. A run has cost what its attempts have paid, also for prompts that
 * a later attempt did not repeat; or what its replies cost, where a crash lost the notes of an attempt.
 */
export function largerCost(left: StepCost, right: StepCost): StepCost {
  const { cost_usd } = left;
  // Only the side that has sent requests has them.
  const unrecorded = left.unrecorded ?? right.unrecorded;
  return {
    ...combineCounts(left, right, Math.max),
    ...(unrecorded === undefined ? {} : { unrecorded }),
    ...(left.counted === undefined ? {} : { counted: left.counted }),
    lm_calls: Math.max(left.lm_calls, right.lm_calls),
    usage: {
      input_tokens: Math.max(left.usage.input_tokens, right.usage.input_tokens),
      output_tokens: Math.max(left.usage.output_tokens, right.usage.output_tokens),
    },
    cost_usd: cost_usd === null || right.cost_usd === null ? null : Math.max(cost_usd, right.cost_usd),
  };
}
