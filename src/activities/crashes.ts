import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE_TYPES } from '../contracts/names.js';
import type { StepCost } from '../contracts/step-cost.js';

/** What attempts of an activity leave in their heartbeats about how they ended. */
export interface EndNotes {
  /** Attempts that ended by themselves, with a failure; absent: none. */
  ended?: number;
  /** Attempts that were lost before they had begun; absent: none. */
  idle?: number;
  /** The attempt that waits now. */
  waiting?: number;
  /** Crashes that there may have been, as the last suspect to begin or to end has said; absent: as many as make one. */
  most?: number;
}

/**
 * Workers that an activity may take along before it is given up. Whoever was beside it when one died cannot be told from
 * it; so from the second on it runs beside a few others that are suspected, and the fourth dies with it alone.
 */
export const MOST_CRASHES = 4;
/** From so many on it is suspected. */
export const SUSPECTED_FROM = 2;

/** Whether it is suspected, and not given up. */
export function isSuspicious(crashes: number): boolean {
  return crashes >= SUSPECTED_FROM && crashes < MOST_CRASHES;
}

function notesOf({ info }: Context): EndNotes {
  return (info.heartbeatDetails ?? {}) as EndNotes;
}

/** Takes over what earlier attempts have left. @param notes of this attempt, for its heartbeats */
export function carryEnds(context: Context, notes: EndNotes): void {
  const { ended, idle, most } = notesOf(context);
  if (ended !== undefined) notes.ended = ended;
  if (idle !== undefined) notes.idle = idle;
  if (most !== undefined) notes.most = most;
}

const noted = new WeakSet<Context>();

/** Notes that an attempt ends with a failure, once. @param notes of the attempt; what earlier ones left by default */
export function noteEnd(context: Context, notes: EndNotes = { ...notesOf(context) }): void {
  if (noted.has(context)) return;
  noted.add(context);
  const crashes = crashesOf(context);
  if (isSuspicious(crashes)) notes.most = crashes;
  notes.ended = (notes.ended ?? 0) + 1;
  context.heartbeat(notes);
}

/**
 * Settles what attempts before this one were lost for. Those that waited, and suspects that had not said that they begin,
 * had not been let in, or their worker had not come to them: they have taken no worker along.
 */
export function settleLost(context: Context): void {
  const { waiting, ...notes } = notesOf(context);
  const { ended = 0, idle = 0, most = 0 } = notes;
  const unheard = context.info.attempt - 1 - ended - Math.max(most, SUSPECTED_FROM);
  const lost = Math.max(waiting === undefined ? idle : idle + 1, unheard);
  if (lost > 0) notes.idle = lost;
  leave(context, notes);
}

function leave({ info }: Context, notes: EndNotes): void {
  Object.assign(info, { heartbeatDetails: notes });
}

/** It begins. @returns what the server has to hear before it does */
export function noteBegin(context: Context): EndNotes {
  const notes = { ...notesOf(context), most: crashesOf(context) + 1 };
  leave(context, notes);
  return notes;
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
