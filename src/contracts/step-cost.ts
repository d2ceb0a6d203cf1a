import type { Usage } from './language-model.js';

/** What was spent beside the replies that are kept, and which figures are estimates. */
export interface Beside {
  /** Calls whose usage the provider did not report: it is estimated from the text. Absent: none. */
  lm_calls_estimated?: number;
  /** Absent: none. */
  unkept?: Unkept;
}

/**
 * Requests whose reply is not kept: refused or failed, answered with what is no reply, cut off on the way, or sent once
 * more because of a crash. What they cost is an upper bound: nobody knows what a provider bills for a request that was
 * cut off.
 */
export interface Unkept {
  requests: number;
  usage: Usage;
  /** US dollars; null once a price is not known. */
  cost_usd: number | null;
}

/** Requests of calls that a crash or a freeze cut off, and that were sent again. */
export interface Repeats {
  /** Known to have been sent: paid twice. */
  lm_calls_repeated: number;
  /** Nobody knows whether they had been sent when they were cut off. Absent: none. */
  lm_calls_maybe_repeated?: number;
}

/** Attempts at a call that ended with their worker. */
export interface CutOff {
  crashes: number;
  /** Those of them whose request is known to have been sent. */
  sent: number;
}

/** How a call has failed so far. */
export interface FailedBefore {
  /** Requests that ended with a provider's failure. */
  failures: number;
  /** When the first of them failed, in milliseconds since 1970, where the provider has refused each of them. */
  refused_since?: number;
}

/** What earlier activities of a call came to, where each of its requests needs leave of its own, and so is an activity. */
export interface AskedBefore extends FailedBefore {
  /** Requests that a crash may have cut off. */
  crashes: number;
  /** Those of them that are known to have been sent; absent: none. */
  sent?: number;
}

/** What the request of an activity may be, as a workflow says it that grants each of them. */
export interface LeaveToAsk {
  /** Where each request needs leave of its own: what those before this one came to. */
  before?: AskedBefore;
  /** No request may be sent: only a reply that is stored is wanted. Absent: one may. */
  stored_only?: true;
}

/** Of an activity's failure after which the call may be asked again, in another activity. */
export interface AskAgain extends AskedBefore {
  /** Milliseconds until then. */
  pause_ms: number;
}

/** What calls of models cost; added to an experiment's totals by whoever asked for them. */
export interface StepCost extends Beside {
  lm_calls: number;
  usage: Usage;
  /** US dollars; null once a price is not known. */
  cost_usd: number | null;
  /** What of it an earlier execution has paid, so that the experiment's totals began with it; absent: nothing. */
  counted?: Omit<StepCost, 'counted' | 'unkept'>;
}
