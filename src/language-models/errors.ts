import type { Usage } from '../contracts/language-model.js';

/** What went wrong with a call, in the words that decide what happens next. */
export type LanguageModelErrorKind =
  /** 401, 403, a key the provider does not know, or no key at all. */
  | 'authentication'
  /** 404: the model, or the path below `base_url`, does not exist. */
  | 'not_found'
  /** 400, 413, 422 and other 4xx: this request will never be accepted. */
  | 'bad_request'
  /** 429: too many requests or tokens at once. */
  | 'rate_limited'
  /** The account is out of money or quota; waiting does not help. */
  | 'quota_exhausted'
  /** 503 and 529. */
  | 'overloaded'
  /** Any other 5xx, 409 and 425. */
  | 'server'
  /** `timeout_sec` passed, or the server gave up waiting (408). */
  | 'timeout'
  /** The connection was refused, reset or cut off. */
  | 'connection'
  /** Nobody has ever answered at the address, however often it was tried. */
  | 'unreachable'
  /** The server answered, but not with a reply. */
  | 'malformed_reply'
  /** The provider calls the reply's end a failure, whatever words came before it. */
  | 'broken_off'
  /** The provider withheld the reply, or the rest of it, for what it says. */
  | 'content_filter'
  /** The reply has more bytes than `lm.max_reply_mb` allows. */
  | 'reply_too_long'
  /** 3xx: the server is somewhere else, and a key goes nowhere that the config does not name. */
  | 'redirected'
  /** The caller aborted the call. */
  | 'cancelled'
  /** Replay: the recording has no row for this call. */
  | 'no_such_row'
  /** Scripted: no rule of the script matches this call. */
  | 'no_such_rule'
  /** A file the model needs is missing or wrong. */
  | 'configuration'
  /** Nothing of the above, most likely a fault of Reprise. */
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
  not_found: FATAL,
  bad_request: FINAL,
  rate_limited: RETRY,
  quota_exhausted: FATAL,
  overloaded: RETRY,
  server: RETRY,
  timeout: RETRY,
  connection: RETRY,
  // One that was there once is waited for.
  unreachable: FATAL,
  malformed_reply: RETRY,
  broken_off: RETRY,
  content_filter: FINAL,
  // A model that says too much says it again, and is paid again.
  reply_too_long: FINAL,
  redirected: FATAL,
  cancelled: FINAL,
  no_such_row: FINAL,
  no_such_rule: FINAL,
  configuration: FATAL,
  // Retried because a cause nobody foresaw may well be transient; every retry policy has a maximum.
  unknown: RETRY,
};

/** Whether an error of this type is one of a model's provider. */
export function isLanguageModelErrorKind(type: string): type is LanguageModelErrorKind {
  return Object.hasOwn(CONSEQUENCES, type);
}

/** Whether another attempt may succeed where a call failed for this reason. */
export function isRetryableKind(kind: string): boolean {
  return CONSEQUENCES[kind as LanguageModelErrorKind]?.retryable ?? false;
}

/** Whether the model was there and did something, which the provider may have billed: the fault is this reply's. */
export function isFaultOfReply(kind: LanguageModelErrorKind): boolean {
  return kind === 'malformed_reply' || kind === 'broken_off' || kind === 'content_filter';
}

export interface LanguageModelErrorDetails {
  provider: string;
  /** HTTP status, where there was an answer. */
  status?: number;
  /** Milliseconds the provider asked to wait, at most ten minutes. */
  retryAfterMs?: number;
  /** What the provider says it has billed, where it answered with what is no reply. */
  usage?: Usage;
  /** The request has never reached the server. */
  isUnsent?: boolean;
}

/**
 * The one error a `LanguageModel` rejects with. `message` is one line, bounded, and free of keys.
 *
 * It carries no `cause` on purpose: a client's error holds response headers and whole bodies, and everything
 * an activity throws ends up in a workflow's history.
 */
export class LanguageModelError extends Error {
  override readonly name = 'LanguageModelError';
  readonly provider: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly usage: Usage | undefined;
  readonly isUnsent: boolean;
  /** Another attempt may succeed. */
  readonly retryable: boolean;
  /** Every other call of this run would fail in the same way. */
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
