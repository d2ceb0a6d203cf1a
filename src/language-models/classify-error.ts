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

function kindOfStatus(status: number, text: string): LanguageModelErrorKind {
  if (OUT_OF_MONEY.test(text) && status < 500) return 'quota_exhausted';
  // Gemini answers an unknown key with 400, not with 401.
  if (KEY_REFUSED.test(text) && status < 500) return 'authentication';
  if (status === 401) return 'authentication';
  // Gateways answer 403 for a prompt their filter stopped: that is one sample's fault, not the key's.
  if (status === 403) return /moderation|flagged/i.test(text) ? 'bad_request' : 'authentication';
  if (status === 402) return 'quota_exhausted';
  if (status === 404) return 'not_found';
  if (status === 408) return 'timeout';
  // One request above the limit per minute: no wait makes it smaller.
  if (status === 429) return /request too large/i.test(text) ? 'bad_request' : 'rate_limited';
  if (status === 409 || status === 425) return 'server';
  if (status === 503 || status === 529) return 'overloaded';
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
  return new LanguageModelError(
    kind,
    `${context.serverName ?? context.provider} ${SAID[kind] ?? 'failed'} (HTTP ${status})${words === '' ? '' : `: ${words}`}`,
    {
      provider: context.provider,
      status,
      retryAfterMs: readRetryAfter(headers, problem?.error, context.now),
    },
  );
}

/**
 * An answer that carries an error inside a body of status 200, as some gateways send it, or undefined.
 * @param body the parsed body.
 */
export function errorInsideBody(body: unknown, context: ErrorContext): LanguageModelError | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body) || !body.error) return undefined;
  const problem = readProblem(body);
  const code = Number(problem?.error.code);
  const status = Number.isInteger(code) && code >= 400 && code < 600 ? code : 502;
  return fromAnswer(status, context.response?.headers, problem, JSON.stringify(body.error), context);
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
