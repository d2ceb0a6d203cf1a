import { isMapping } from '../contracts/json.js';
import type { Usage } from '../contracts/language-model.js';
import { type ProviderProblem, readProblem, tidyErrorText } from './error-text.js';
import { LanguageModelError, type LanguageModelErrorKind } from './errors.js';
import { readRetryAfter } from './retry-after.js';

/** What the adapter knows beside the error its client threw. */
export interface ErrorContext {
  provider: string;
  /** How messages name the server; the provider by default. */
  serverName?: string;
  /** Milliseconds after which our own deadline fired; a client shows it as an ordinary abort. */
  timedOutAfterMs?: number;
  /** The caller aborted the call. */
  aborted?: boolean;
  /** The last HTTP answer, for a client whose errors do not carry it. */
  response?: { status: number; headers: Headers };
  /** What a reply was billed that came with the error. */
  usage?: Usage;
  /** Keys that must not appear in a message. */
  secrets?: readonly string[];
  /** Milliseconds since 1970, for Retry-After dates. */
  now?: number;
}

/** Connection faults of Node's sockets and of undici, which is Node's fetch. */
const NETWORK_CODE =
  /^(?:E(?!RR_)[A-Z_]{3,}|UND_ERR_[A-Z_]+|ERR_(?:SSL|TLS)_[A-Z0-9_]+|CERT_[A-Z_]+|[A-Z_]*CERT[A-Z_]*)$/;
/** Those that come up before a connection stands. */
const BEFORE_SENDING =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_(?:SSL|TLS)_[A-Z0-9_]+|[A-Z_]*CERT[A-Z_]*)$/;
const OUT_OF_MONEY =
  /insufficient_quota|billing_hard_limit|billing_error|credit balance is too low|spend(?:ing)?[ _]limit/i;
/** A quota of the day comes back tomorrow: eight tries within a minute only use up what is left of it. */
const OF_THE_DAY = /\bper[ _-]?day|PerDay|\bdaily\b|\b[RT]PD\b/i;
const OF_THE_MINUTE = /\bper[ _-]?(?:min(?:ute)?|sec(?:ond)?)\b|Per(?:Minute|Second)|\b[RT]PM\b/i;
const KEY_REFUSED = /API_KEY_INVALID|API key not valid|API key expired|invalid[ _]api[ _]key/i;

/** The first error code along the chain of causes: undici hides ECONNRESET below `TypeError: fetch failed`. */
function networkCode(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 6 && typeof current === 'object' && current !== null; depth++) {
    const { code, cause, errors } = current as { code?: unknown; cause?: unknown; errors?: unknown };
    if (typeof code === 'string' && NETWORK_CODE.test(code)) return code;
    // Node tries every address of a name and reports the attempts as one AggregateError.
    current = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return undefined;
}

/** What `provider-fetch` or an adapter found, however a client has wrapped it. */
function ownError(error: unknown): LanguageModelError | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 6 && current instanceof Error; depth++) {
    if (current instanceof LanguageModelError) return current;
    current = current.cause;
  }
  return undefined;
}

function isConnectionFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.constructor.name.startsWith('APIConnection')) return true;
  return /^(?:fetch failed|terminated|other side closed|Premature close)/i.test(error.message);
}

/** The server gave up waiting; 524 is Cloudflare's word for it. */
const TIMEOUTS = [408, 524];
/** 498 is Groq's, 529 Anthropic's, and the others are Cloudflare's, with nobody behind it. */
const OUT_OF_CAPACITY = [498, 503, 520, 521, 522, 523, 529, 530];
/** Refusals that are none of the request: a conflict, too early, a proxy that hung up. */
const MAY_PASS = [409, 425, 499];

function isUsedUpForToday(text: string): boolean {
  return OF_THE_DAY.test(text) && !OF_THE_MINUTE.test(text);
}

function kindOfStatus(status: number, text: string): LanguageModelErrorKind {
  if (OUT_OF_MONEY.test(text) && status < 500) return 'quota_exhausted';
  // Gemini answers an unknown key with 400, not with 401.
  if (KEY_REFUSED.test(text) && status < 500) return 'authentication';
  if (status === 401) return 'authentication';
  // Gateways answer 403 for a prompt their filter stopped: that is one sample's fault, not the key's.
  if (status === 403) return /moderation|flagged/i.test(text) ? 'bad_request' : 'authentication';
  if (status === 402) return 'quota_exhausted';
  if (status === 404) return 'not_found';
  if (TIMEOUTS.includes(status)) return 'timeout';
  if (status === 429) {
    // One request above the limit per minute: no wait makes it smaller.
    if (/request too large/i.test(text)) return 'bad_request';
    return isUsedUpForToday(text) ? 'quota_exhausted' : 'rate_limited';
  }
  if (status === 420) return 'rate_limited';
  if (OUT_OF_CAPACITY.includes(status)) return 'overloaded';
  if (MAY_PASS.includes(status)) return 'server';
  return status >= 500 ? 'server' : 'bad_request';
}

const SAID: Partial<Record<LanguageModelErrorKind, string>> = {
  authentication: 'refused the key',
  not_found: 'does not know this model or path',
  bad_request: 'refused the request',
  rate_limited: 'is rate limiting',
  quota_exhausted: 'says that the account has no quota left',
  overloaded: 'is overloaded',
  server: 'failed',
  timeout: 'timed out',
};

function bodyOf(error: unknown): unknown {
  const { error: body, message } = error as { error?: unknown; message?: unknown };
  if (typeof body === 'object' && body !== null) return body;
  // @google/genai: the message is the error body as JSON.
  if (typeof message === 'string' && /^\s*[[{]/.test(message)) {
    try {
      return JSON.parse(message);
    } catch {
      return undefined;
    }
  }
  return undefined;
}

function fromAnswer(
  status: number,
  headers: Headers | undefined,
  problem: ProviderProblem | undefined,
  fallback: string,
  context: ErrorContext,
): LanguageModelError {
  const text = problem?.message ?? fallback;
  const evidence = [text, ...(problem?.codes ?? []), JSON.stringify(problem?.error.details ?? '')].join(' ');
  const kind = kindOfStatus(status, evidence);
  const words = tidyErrorText(text, context.secrets);
  const isDaily = kind === 'quota_exhausted' && isUsedUpForToday(evidence);
  const said = isDaily ? 'says that the quota of the day is used up' : SAID[kind];
  return new LanguageModelError(
    kind,
    `${context.serverName ?? context.provider} ${said ?? 'failed'} (HTTP ${status})${words === '' ? '' : `: ${words}`}`,
    {
      provider: context.provider,
      status,
      retryAfterMs: readRetryAfter(headers, problem?.error, context.now),
      usage: context.usage,
    },
  );
}

/** The fields of which a body that is a reply has one. */
const REPLY_FIELDS = ['choices', 'content', 'candidates', 'promptFeedback', 'data', 'embeddings'];
/** Statuses for the words that stand where others write a number. */
const STATUS_OF_CODE: [RegExp, number][] = [
  [/rate_?limit|resource_exhausted|too_many_requests/i, 429],
  [/overloaded|unavailable/i, 503],
  [/authentication|invalid_api_key|unauthenticated/i, 401],
  [/invalid_request|invalid_argument|bad_?request/i, 400],
];

function statusOf(problem: ProviderProblem | undefined): number | undefined {
  const { code, status, status_code } = problem?.error ?? {};
  const number = [code, status, status_code].map(Number).find((value) => value >= 400 && value < 600);
  const words = problem?.codes.join(' ') ?? '';
  return number ?? STATUS_OF_CODE.find(([pattern]) => pattern.test(words))?.[1];
}

/** Whether a field of that name says that there is an error: some servers always have it. */
function isGiven(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return Boolean(error);
  return Object.values(error).some((value) => value !== null && value !== '');
}

/**
 * An answer that carries an error inside a body of status 200, as some gateways send it, or undefined. A body that is no
 * reply and says something is one as well: the server's own words are better than ours. An error beside a reply has
 * broken it off, whatever its number: a provider that began to answer refuses nobody.
 * @param body the parsed body.
 */
export function errorInsideBody(body: unknown, context: ErrorContext): LanguageModelError | undefined {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (!isMapping(outer)) return undefined;
  const hasError = isGiven(outer.error);
  const isReply = REPLY_FIELDS.some((field) => outer[field] !== undefined && outer[field] !== null);
  const problem = readProblem(outer);
  if (!hasError && (isReply || problem?.message === undefined)) return undefined;
  const said = problem?.message ?? JSON.stringify(outer.error);
  const status = statusOf(problem);
  const known =
    status === undefined ? null : fromAnswer(status, context.response?.headers, problem, said, context);
  if (known !== null && (!isReply || !known.retryable)) return known;
  const { provider, serverName = provider, secrets, usage } = context;
  const what = isReply ? 'broke the reply off' : 'sent no reply, and says';
  return new LanguageModelError(
    isReply ? 'broken_off' : 'malformed_reply',
    `${serverName} ${what}: ${tidyErrorText(said, secrets)}`,
    { provider, usage, retryAfterMs: known?.retryAfterMs },
  );
}

/** Turns whatever a provider's client threw into the one error that the rest of Reprise understands. Never throws. */
export function classifyError(error: unknown, context: ErrorContext): LanguageModelError {
  const { provider, serverName = provider } = context;
  const make = (kind: LanguageModelErrorKind, message: string, isUnsent = false) =>
    new LanguageModelError(kind, message, { provider, isUnsent });
  if (context.timedOutAfterMs !== undefined) {
    return make('timeout', `${serverName} did not answer within ${context.timedOutAfterMs / 1000} s`);
  }
  const own = ownError(error);
  if (own !== undefined) return own;
  if (context.aborted) return make('cancelled', `the call to ${serverName} was cancelled`);

  const thrown = error instanceof Error ? error : new Error(String(error));
  const { status, headers } = thrown as { status?: unknown; headers?: unknown };
  const words = tidyErrorText(thrown.message.replace(/^\d{3} /, ''), context.secrets);
  if (typeof status === 'number' && status >= 400) {
    const received = headers instanceof Headers ? headers : context.response?.headers;
    return fromAnswer(status, received, readProblem(bodyOf(thrown)), words, context);
  }
  const code = networkCode(thrown);
  if (code !== undefined || isConnectionFault(thrown)) {
    const timedOut = code !== undefined && /TIMEOUT|ETIMEDOUT/.test(code);
    return make(
      timedOut ? 'timeout' : 'connection',
      `the connection to ${serverName} failed${code === undefined ? '' : ` (${code})`}: ${words}`,
      code !== undefined && BEFORE_SENDING.test(code),
    );
  }
  // The client could not read the answer: an error page where JSON was announced, or JSON of another shape.
  if (context.response !== undefined && context.response.status >= 400) {
    return fromAnswer(context.response.status, context.response.headers, undefined, words, context);
  }
  if (thrown instanceof SyntaxError || context.response !== undefined) {
    return make('malformed_reply', `${serverName} answered with something that is no reply: ${words}`);
  }
  return make('unknown', `the call to ${serverName} failed: ${thrown.name}: ${words}`);
}
