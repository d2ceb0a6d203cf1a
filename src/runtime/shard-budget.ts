import type { Allotment, Amounts } from '../contracts/allotment.js';
import { larger, minus, NOTHING, roomWithin } from './amounts.js';

/**
 * A shard's side of the limits of its run. It may spend what it was allotted and has not returned. Everything is
 * cumulative since the shard began, so that messages may be lost, repeated and overtaken: the newest says it all.
 */
export interface ShardBudget {
  /** What the run has allotted, as far as this shard has heard. */
  allotted: Allotment;
  /** What of it was given back. */
  returned: Allotment;
  spent: Amounts;
  /** Calls that have begun and not ended. */
  open: number;
  /** Calls that would begin. */
  waiting: number;
  /** No further call begins: whoever waits is refused. */
  over: boolean;
}

/** `spent` is all that was spent until now. */
export type ShardBudgetEvent =
  | { type: 'wanted'; spent: Amounts }
  | { type: 'ended'; spent: Amounts }
  | { type: 'allotted'; allotted: Allotment }
  /** Nobody works in this shard for now. */
  | { type: 'idle' }
  | { type: 'over' };

export function newShardBudget(allotted: Allotment): ShardBudget {
  return { allotted, returned: minus(allotted, allotted), spent: NOTHING, open: 0, waiting: 0, over: false };
}

/** How many calls may begin now. */
export function roomOf({ allotted, returned, spent, open, over }: ShardBudget): number {
  return over ? 0 : roomWithin(minus(allotted, returned), spent, open);
}

/**
 * What follows of an event. Those who wait begin as far as there is room: `open` grows by as many as `waiting` falls.
 * Where somebody waits and nothing is open any more, everything that is held is given back: it is too little of one
 * figure, and others may need the rest.
 */
export function advance(before: ShardBudget, event: ShardBudgetEvent): ShardBudget {
  switch (event.type) {
    case 'wanted':
      return begin({ ...before, spent: event.spent, waiting: before.waiting + 1 });
    case 'ended':
      return begin({ ...before, spent: event.spent, open: before.open - 1 });
    case 'allotted':
      return begin({ ...before, allotted: larger(before.allotted, event.allotted) });
    case 'idle':
      return giveBack(before);
    case 'over':
      return { ...before, over: true, waiting: 0 };
  }
}

function begin(state: ShardBudget): ShardBudget {
  if (state.over) return { ...state, waiting: 0 };
  const begun = { ...state };
  while (begun.waiting > 0 && roomOf(begun) > 0) {
    begun.waiting -= 1;
    begun.open += 1;
  }
  return begun.waiting > 0 ? giveBack(begun) : begun;
}

function giveBack(state: ShardBudget): ShardBudget {
  if (state.open > 0) return state;
  return { ...state, returned: larger(state.returned, minus(state.allotted, state.spent)) };
}
