import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { StepCost } from '../contracts/step-cost.js';

/** What attempts of an activity leave in their heartbeats about how they ended. */
export interface EndNotes {
  /** Attempts that ended by themselves, with a failure; absent: none. */
  ended?: number;
  /** Attempts that were lost while they waited, before they had begun; absent: none. */
  idle?: number;
  /** The attempt that waits now. */
  waiting?: number;
}

/**
 * Workers that an activity may take along before it is given up. Whoever was beside it when one died cannot be told from
 * it; so from the second on it runs beside a few others that are suspected, and the fourth dies with it alone.
 */
export const MOST_CRASHES = 4;

function notesOf({ info }: Context): EndNotes {
  return (info.heartbeatDetails ?? {}) as EndNotes;
}

/** Takes over what earlier attempts have left. @param notes of this attempt, for its heartbeats */
export function carryEnds(context: Context, notes: EndNotes): void {
  const { ended, idle } = notesOf(context);
  if (ended !== undefined) notes.ended = ended;
  if (idle !== undefined) notes.idle = idle;
}

const noted = new WeakSet<Context>();

/** Notes that an attempt ends with a failure, once. @param notes of the attempt; what earlier ones left by default */
export function noteEnd(context: Context, notes: EndNotes = { ...notesOf(context) }): void {
  if (noted.has(context)) return;
  noted.add(context);
  notes.ended = (notes.ended ?? 0) + 1;
  context.heartbeat(notes);
}

/** The notes as they are without a wait: one in which the attempt before this one was lost has cost nothing. */
export function settleWait(context: Context): void {
  const { waiting, ...notes } = notesOf(context);
  if (waiting === undefined) return;
  const { info } = context;
  if (waiting === info.attempt - 1) notes.idle = (notes.idle ?? 0) + 1;
  Object.assign(info, { heartbeatDetails: notes });
}

/** Attempts of this activity that ended with their worker, or with its connection. */
export function crashesOf(context: Context): number {
  const { ended = 0, idle = 0 } = notesOf(context);
  return Math.max(context.info.attempt - 1 - ended - idle, 0);
}

/** Whether no further worker is risked for it. */
export function isGivenUp(context: Context): boolean {
  return crashesOf(context) >= MOST_CRASHES;
}

/** Ends an activity that has taken so many workers along. @param cost what it has spent on requests */
export function workerCrash(crashes: number, cost?: StepCost): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE_TYPES.workerCrash,
    message: `given up: ${crashes} workers died while they worked on it, the last one on nothing else that was suspected`,
    details: cost === undefined ? [] : [cost],
    nonRetryable: true,
  });
}
