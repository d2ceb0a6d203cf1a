import type { Usage } from '../contracts/language-model.js';

/** Reason of a call's failure, which decides whether it is retried and whether the run ends. */
export type LanguageModelErrorKind =
  /** 401, 403, a key the provider does not know, or no key at all. */
  | 'authentication'
  /** 403 that does not name the key, as of a firewall: of the prompt, if the model answers others. */
  | 'forbidden'
  /** 404: the model, or the path below `base_url`, does not exist. */
  | 'not_found'
  /** 400, 413, 422 and other 4xx: this request will never be accepted. */
  | 'bad_request'
  /** Prompt that is longer than the model's context, or leaves no room for a reply. */
  | 'context_full'
  /** 429 or 420: too many requests or tokens at once. */
  | 'rate_limited'
  /** No money or quota left in the account; waiting does not help. */
  | 'quota_exhausted'
  /** 503, 529 and other statuses of missing capacity. */
  | 'overloaded'
  /** Any other 5xx, 409, 425 and 499. */
  | 'server'
  /** `timeout_sec` passed, or the server timed out (408, 524). */
  | 'timeout'
  /** Connection refused, reset or interrupted. */
  | 'connection'
  /** No answer from the address ever, after several attempts to connect. */
  | 'unreachable'
  /** Response that is not a reply. */
  | 'malformed_reply'
  /** Reply whose end the provider reports as a failure, even if text came before it. */
  | 'broken_off'
  /** Reply that the provider withheld, wholly or in part, because of its content. */
  | 'content_filter'
  /** Reply with more bytes than `lm.max_reply_mb` allows. */
  | 'reply_too_long'
  /** 3xx: a redirect, which is not followed because the key is only sent to servers that the config names. */
  | 'redirected'
  /** Call that the caller aborted. */
  | 'cancelled'
  /** Replay: the recording has no row for this call. */
  | 'no_such_row'
  /** Scripted: no rule of the script matches this call. */
  | 'no_such_rule'
  /** Missing or invalid file of the model. */
  | 'configuration'
  /** Any other failure, most likely a bug of Reprise. */
  | 'unknown';

interface Consequence {
  retryable: boolean;
  fatalForRun: boolean;
}

const RETRY: Consequence = { retryable: true, fatalForRun: false };
const FINAL: Consequence = { retryable: false, fatalForRun: false };
const FATAL: Consequence = { retryable: false, fatalForRun: true };

const CONSEQUENCES: Record<LanguageModelErrorKind, Consequence> = {
  authentication: FATAL,
  forbidden: FATAL,
  not_found: FATAL,
  bad_request: FINAL,
  context_full: FINAL,
  rate_limited: RETRY,
  quota_exhausted: FATAL,
  overloaded: RETRY,
  server: RETRY,
  timeout: RETRY,
  connection: RETRY,
  // Calls wait for a model that has answered before.
  unreachable: FATAL,
  malformed_reply: RETRY,
  broken_off: RETRY,
  content_filter: FINAL,
  // Another attempt would most likely be too long again, and be billed again.
  reply_too_long: FINAL,
  redirected: FATAL,
  cancelled: FINAL,
  no_such_row: FINAL,
  no_such_rule: FINAL,
  configuration: FATAL,
  // Retried, because an unforeseen cause may be transient; every retry policy has a maximum.
  unknown: RETRY,
};

/** Reports whether a type of error is one of a model's provider. */
export function isLanguageModelErrorKind(type: string): type is LanguageModelErrorKind {
  return Object.hasOwn(CONSEQUENCES, type);
}

/** Reports whether another attempt may succeed after a failure of this kind. */
export function isRetryableKind(kind: string): boolean {
  return CONSEQUENCES[kind as LanguageModelErrorKind]?.retryable ?? false;
}

/** Reports whether only the reply is at fault: the model was reached, and the provider may have billed the call. */
export function isFaultOfReply(kind: LanguageModelErrorKind): boolean {
  return kind === 'malformed_reply' || kind === 'broken_off' || kind === 'content_filter';
}

export interface LanguageModelErrorDetails {
  provider: string;
  /** HTTP status, if there was a response. */
  status?: number;
  /** Milliseconds that the provider requested to wait, at most ten minutes. */
  retryAfterMs?: number;
  /** Billed tokens that the provider reports with a response that is not a reply. */
  usage?: Usage;
  /** True if the request never reached the server. */
  isUnsent?: boolean;
}

/**
 * Error of a failed call, the only one that a `LanguageModel` rejects with. `message` is one bounded line without keys.
 *
 * It has no `cause` on purpose: a client's error holds response headers and whole bodies, and everything an activity
 * throws is stored in a workflow's history.
 */
export class LanguageModelError extends Error {
  override readonly name = 'LanguageModelError';
  readonly provider: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly usage: Usage | undefined;
  readonly isUnsent: boolean;
  /** True if another attempt may succeed. */
  readonly retryable: boolean;
  /** True if every other call of this run would fail in the same way. */
  readonly fatalForRun: boolean;

  constructor(
    readonly kind: LanguageModelErrorKind,
    message: string,
    details: LanguageModelErrorDetails,
  ) {
    super(message);
    this.provider = details.provider;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.usage = details.usage;
    this.isUnsent = details.isUnsent ?? false;
    this.retryable = CONSEQUENCES[kind].retryable;
    this.fatalForRun = CONSEQUENCES[kind].fatalForRun;
  }
}
