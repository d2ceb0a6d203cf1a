import type { RunStatus } from './results.js';

/**
 * Names one execution of an experiment. A worker keeps what it has read of a run under this name, so that a continued
 * run, whose plan differs, is read anew by every worker.
 */
export function runReference(artifacts: string, execution: string): string {
  // It stands in the input of every call; the random end of the execution's id is telling enough.
  return `${artifacts}#${execution.slice(-12)}`;
}

/** The folder's URI in a {@link runReference}. */
export function artifactsOf(run: string): string {
  const end = run.lastIndexOf('#');
  return end === -1 ? run : run.slice(0, end);
}

/** The execution's end in a {@link runReference}. */
export function executionOf(run: string): string {
  return run.slice(run.lastIndexOf('#') + 1);
}

/** What a worker tells an experiment that waits for something outside of it. */
export interface AwayNotice {
  /** A model's name, for one. */
  what: string;
  /** What is wrong with it; null once it is there again. */
  message: string | null;
}

/** Milliseconds after which a worker says again what is away still. */
export const AWAY_TOLD_AGAIN_MS = 300_000;

/** What was spent before this execution, and what a limit counts. */
export interface Spending {
  /** Requests that were sent, and replies that were found. */
  lm_calls: number;
  /** Those of them whose reply is not kept; absent where there is none. */
  unkept?: number;
  tokens: number;
  /** US dollars; null once a price is not known. */
  cost_usd: number | null;
}

/** How a child stands with its experiment's budget of calls, in all since it began. */
export interface BudgetStanding {
  spent: Spending;
  /** Calls that it has heard were granted. */
  granted: number;
  /** Calls of these that it gives back. */
  returned: number;
  /** Calls that it requests beyond those that were granted. */
  requested: number;
}

/** What is left of limits; null where there is none. */
export type SpendingLeft = { [Figure in 'lm_calls' | 'tokens' | 'cost_usd']: number | null };

export interface Limits {
  max_cost_usd: number | null;
  max_lm_calls: number | null;
  max_tokens: number | null;
  max_wall_seconds: number | null;
}

/** Names an execution of a child workflow to its experiment, which may have been reset since it began. */
export interface ChildExecution {
  workflow_id: string;
  /** The first one's run id, which the child keeps when it continues as new or is reset. */
  first: string;
  /** Its own. */
  run: string;
}

/** What is asked of an experiment, and what a limit that only it can see asks: an experiment that continues as new keeps it. */
export interface Asked {
  paused: boolean;
  /** Begin nothing further; what is in flight ends, and the same command continues the experiment. */
  stopping: boolean;
  /** Why nothing may be begun: a limit is reached. */
  exhausted: string | null;
  /** The most that may be worked on at once. */
  concurrency: number;
}

export type RunPhase = 'preparing' | 'running' | 'paused' | 'stopping' | 'writing' | RunStatus;
