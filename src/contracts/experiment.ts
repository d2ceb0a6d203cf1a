import type { RunStatus } from './results.js';

/**
 * Returns the name of one execution of an experiment. A worker caches a run under this name, so that every worker reads
 * a continued run, whose plan differs, again.
 */
export function runReference(artifacts: string, execution: string): string {
  // It is part of the input of every call; the random end of the execution's ID is enough.
  return `${artifacts}#${execution.slice(-12)}`;
}

/** Returns the folder's URI in a {@link runReference}. */
export function artifactsOf(run: string): string {
  const end = run.lastIndexOf('#');
  return end === -1 ? run : run.slice(0, end);
}

/** Returns the end of the execution's ID in a {@link runReference}. */
export function executionOf(run: string): string {
  return run.slice(run.lastIndexOf('#') + 1);
}

/** Worker's notice to an experiment that waits for something outside. */
export interface UnreachableNotice {
  /** Name of the unreachable thing, such as a model. */
  what: string;
  /** Its error; null once it is reachable again. */
  message: string | null;
}

/** Milliseconds after which a worker repeats a notice of something that is still unreachable. */
export const UNREACHABLE_REPEAT_MS = 300_000;

/** Amounts spent by an experiment that limits count. */
export interface Spending {
  /** Requests that were sent, and replies that were found. */
  lm_calls: number;
  /** Unrecorded requests among them; absent if there are none. */
  unrecorded?: number;
  tokens: number;
  /** US dollars; null if a price is unknown. */
  cost_usd: number | null;
}

/** Child's report on its experiment's budget of calls, in total since it began. */
export interface BudgetReport {
  spent: Spending;
  /** Granted calls, as far as the child knows. */
  granted: number;
  /** Granted calls that it returns. */
  returned: number;
  /** Calls that it requests beyond the granted ones. */
  requested: number;
}

/** Amounts left of limits; null without a limit. */
export type SpendingLeft = { [Figure in 'lm_calls' | 'tokens' | 'cost_usd']: number | null };

export interface Limits {
  max_cost_usd: number | null;
  max_lm_calls: number | null;
  max_tokens: number | null;
  max_wall_seconds: number | null;
}

/** Identity of an execution of a child workflow, for its experiment, which may have been reset since it began. */
export interface ChildExecution {
  workflow_id: string;
  /** Run ID of the first execution, which the child keeps when it continues as new or is reset. */
  first: string;
  /** Run ID of this execution. */
  run: string;
}

/** Requests to an experiment, and its reached limit; kept when the experiment continues as new. */
export interface ReceivedRequests {
  paused: boolean;
  /** Begin nothing further; what is in flight ends, and the same command continues the experiment. */
  stopping: boolean;
  /** Reached limit, because of which nothing may be begun. */
  exhausted: string | null;
  /** Maximum number in flight at once. */
  concurrency: number;
}

export type RunPhase = 'preparing' | 'running' | 'paused' | 'stopping' | 'writing' | RunStatus;
