import type { Usage } from './language-model.js';

/** Cost besides that of kept replies, and numbers of replies that people look at. */
export interface Beside {
  /** Replies that used up their token limit. Absent: none. */
  lm_calls_cut_off?: number;
  /** Calls whose usage the provider did not report: it is estimated from the text. Absent: none. */
  lm_calls_estimated?: number;
  /** Absent: none. */
  unrecorded?: Unrecorded;
}

/**
 * Unrecorded requests, whose reply is not kept: refused or failed, answered with an invalid reply, cut off, or repeated
 * because of a crash. Their cost is an upper bound: it is unknown what a provider bills for a request that was cut off.
 */
export interface Unrecorded {
  requests: number;
  usage: Usage;
  /** US dollars; null if a price is unknown. */
  cost_usd: number | null;
}

/** Requests that a crash or a freeze cut off, and that were sent again. */
export interface Repeats {
  /** Known to have been sent: paid twice. */
  lm_calls_repeated: number;
  /** Perhaps not sent yet when they were cut off. Absent: none. */
  lm_calls_maybe_repeated?: number;
}

/** Attempts at a call that ended with their worker. */
export interface CutOffAttempts {
  crashes: number;
  /** Attempts among them whose request is known to have been sent. */
  sent: number;
}

/** Earlier failures of a call. */
export interface FailedBefore {
  /** Requests that ended with a provider's failure. */
  failures: number;
  /** Time of the first of them, in milliseconds since 1970, if the provider refused all of them. */
  refused_since?: number;
}

/** Outcome of a call's earlier activities, if each of its requests needs its own grant and so is an activity. */
export interface AskedBefore extends FailedBefore {
  /** Requests that a crash may have cut off. */
  crashes: number;
  /** Requests among them that are known to have been sent; absent: none. */
  sent?: number;
  /** Requests among them whose cost is booked nowhere yet; absent: none. */
  unbooked?: number;
}

/** Grant of a workflow for the request of an activity. */
export interface RequestGrant {
  /** Outcome of the requests before this one, if each needs its own grant. */
  before?: AskedBefore;
  /** No request may be sent: only a stored reply is used. Absent: one may be sent. */
  stored_only?: true;
}

/** Details of a failure after which another activity may repeat the request. */
export interface AskAgain extends AskedBefore {
  /** Milliseconds until then. */
  pause_ms: number;
}

/** Cost of model calls; whoever requested them adds it to the experiment's totals. */
export interface StepCost extends Beside {
  lm_calls: number;
  usage: Usage;
  /** US dollars; null if a price is unknown. */
  cost_usd: number | null;
  /** Part that an earlier execution paid, which is in the experiment's initial totals; absent: none. */
  counted?: Omit<StepCost, 'counted' | 'unrecorded'>;
}
