import type { ShardClaim } from '../contracts/run.js';
import { isLeft, isSame, minus } from './amounts.js';
import { roomOf, type ShardBudget } from './shard-budget.js';

/** Milliseconds between two claims at least. */
const LEAST_INTERVAL = 1000;
/** Milliseconds until a claim is repeated while no call is open; twice as many each time, that often. */
const REPEATED_AFTER = 30_000;
const DOUBLINGS = 5;
/** Seconds of work that a shard would like to hold. */
const AHEAD_SECONDS = 5;

/** The newest claim that the run was sent. */
export interface SentClaim {
  /** Milliseconds since 1970. */
  at: number;
  claim: ShardClaim;
  /** How often it was sent again. */
  repeated: number;
}

/** What a shard says of its budget. It asks for more when half of what it would like to hold is gone. */
export function claimOf(
  budget: ShardBudget,
  { sent, lanes, now }: { sent: SentClaim; lanes: number; now: number },
): ShardClaim {
  const { spent, returned, allotted } = budget;
  const seconds = Math.max(now - sent.at, LEAST_INTERVAL) / 1000;
  const callsPerSecond = (spent.lm_calls - sent.claim.spent.lm_calls) / seconds;
  const wish = Math.max(2 * lanes, Math.ceil(callsPerSecond * AHEAD_SECONDS), budget.waiting);
  const room = roomOf(budget);
  const wanted = room * 2 < wish && !waitsForFirstPrice(budget) ? wish - room : 0;
  return { spent, returned, heard: allotted.lm_calls, wanted: budget.over ? 0 : wanted, holds: allotted };
}

/** Before the first call has ended nobody knows what one costs, and no allotment lets a second one begin. */
function waitsForFirstPrice({ allotted, spent, open }: ShardBudget): boolean {
  const byPrice = allotted.tokens !== null || allotted.nanodollars !== null;
  return byPrice && spent.lm_calls === 0 && open > 0;
}

/**
 * When the run should hear of a claim, in milliseconds since 1970; null: not before something changes.
 * @returns `again` where it is the one before once more: no call is open, and an answer or an order may have been lost.
 */
export function claimDue(
  { allotted, open, over }: ShardBudget,
  { spent, heard, returned, wanted }: ShardClaim,
  { at, claim: before, repeated }: SentClaim,
): { at: number; again: boolean } | null {
  if (over) return null;
  const hasNothing = open === 0 && !isLeft(minus(minus(allotted, returned), spent));
  const settles = hasNothing && !isSame(spent, before.spent);
  const asks = wanted > 0 && (before.wanted === 0 || heard > before.heard);
  const gives = !isSame(returned, before.returned);
  if (asks || gives || settles) return { at: at + LEAST_INTERVAL, again: false };
  return open === 0 ? { at: at + REPEATED_AFTER * 2 ** Math.min(repeated, DOUBLINGS), again: true } : null;
}
