import { isMapping } from '../contracts/json.js';
import type { Usage } from '../contracts/language-model.js';
import { type ProviderProblem, problemInText, readProblem, tidyErrorText, wordsOf } from './error-text.js';
import { LanguageModelError, type LanguageModelErrorKind } from './errors.js';
import { readRetryAfter } from './retry-after.js';

/** Facts that the adapter knows in addition to the error of its client. */
export interface ErrorContext {
  provider: string;
  /** Name of the server in messages; the provider by default. */
  serverName?: string;
  /** Milliseconds after which Reprise's own deadline fired; a client reports it as an ordinary abort. */
  timedOutAfterMs?: number;
  /** True if the caller aborted the call. */
  aborted?: boolean;
  /** Last HTTP response, for a client whose errors do not contain it. */
  response?: { status: number; headers: Headers };
  /** Billed tokens of a reply that came with the error. */
  usage?: Usage;
  /** Keys that must not appear in a message. */
  secrets?: readonly string[];
  /** Milliseconds since 1970, for Retry-After dates. */
  now?: number;
}

/** Error codes of connections, of Node's sockets and of undici, which is Node's fetch. */
const NETWORK_CODE =
  /^(?:E(?!RR_)[A-Z_]{3,}|UND_ERR_[A-Z_]+|ERR_(?:SSL|TLS)_[A-Z0-9_]+|CERT_[A-Z_]+|[A-Z_]*CERT[A-Z_]*)$/;
/** Error codes that occur before a connection is established. */
const BEFORE_SENDING =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_(?:SSL|TLS)_[A-Z0-9_]+|[A-Z_]*CERT[A-Z_]*)$/;
const OUT_OF_MONEY =
  /billing_not_active|account is not active|SetLimitExceeded|insufficient_quota|exceeded_current_quota|billing_hard_limit|billing_error|credit balance is too low|due to insufficient balance|no resource package|无可用资源包|账户已欠费|\bArrearage\b|credits are depleted|spend(?:ing)?[ _](?:limit|cap)|budget_exceeded|Budget has been exceeded!|crossed budget:|\bExceeded(?:Token)?Budget\b|specified (?:workspace )?API usage limits/i;
/** Alibaba's words for its limit of tokens per minute, whose code is `insufficient_quota`. */
const TOKENS_OF_THE_MINUTE = /(?<!free )allocated quota exceeded|error-code#token-limit/i;
/** Quotas of a day, a week or a month. They are refilled then, so retries only use up what is left. */
const OF_THE_DAY =
  /\bper[ _-]?(?:day|week|month|86400 ?s|24 ?h)|Per(?:Day|Week|Month)|ByDay|\/ ?(?:day|week|month)\b|\bdaily\b|\b(?:weekly|monthly) (?:\w+ )?(?:limit|quota|cap|allowance|credit)|(?:exceed|reach|us)ed (?:\w+ ){0,2}(?:weekly|monthly)|\b[RT]PD\b/i;
/** Links and prices of plans, whose periods are not the quota's. */
const OF_PLANS = /https?:\/\/\S+|[$€£] ?\d[\d.,]* ?(?:\/|per|a) ?month/gi;
const OF_THE_MINUTE =
  /\bper[ _-]?(?:hour|min(?:ute)?|sec(?:ond)?)\b|Per(?:Minute|Second)|\/ ?(?:hour|min(?:ute)?|sec(?:ond)?)\b|\bhourly\b|\b[RT]PM\b/i;
/** A limit of nothing, which no waiting raises, whatever other limits are listed beside it. */
const OF_NOTHING = /(?<!remaining )\blimit: 0\b(?!\.\d| (?:\w+ )?(?:left|remain))/i;
/** Words of a refusal that is of the key or its account, not of one prompt. */
const NAMES_KEY =
  /\bkeys?\b|\btokens?\b|credential|permission|account|credit|billing|subscription|region|country|location|organi[sz]ation|project|workspace|authenticat|authori[sz]|denied|suspend|polic/i;
const FIREWALL =
  /firewall|\bWAF\b|security (?:policy|rule|service|solution)|request (?:was |has been )?(?:blocked|rejected)/i;
/** A web page as a client's message, with its status or the fault of who reads it as JSON. */
const PAGE = /^(?:\d{3} )?\s*<|token '?</;
const KEY_REFUSED = /API_KEY_INVALID|API key not valid|API key expired|(?:invalid|incorrect)[ _]api[ _]key/i;
/** Words by which a filter refuses a prompt; `violates the organisation's policy` is said of a key. */
const CONTENT_REFUSED =
  /moderation|flagged|violates? (?:our )?usage (?:guidelines|polic)|SAFETY_CHECK|guardrail|content[ _]filter/i;
/** Words of a key that lacks a permission, such as that for a filter. */
const NOT_PERMITTED = /not authori[sz]ed|\b(?:have|no) access|permission/i;
/** Words by which a server refuses a prompt that is longer than its context, or leaves no room for a reply. */
export const CONTEXT_FULL =
  /maximum (?:context|prompt|input) length|context_length_exceeded|exceed_context_size|ContextWindowExceeded|exceed(?:s|ed|ing)?\b.{0,60}\bcontext[ _-]?(?:length|size|window|limit)|\bcontext[ _-]?(?:length|size|window|limit)\b.{0,60}\b(?:exceed|overflow|too (?:long|small))|context the overflows|(?:longer|larger|greater) than the (?:model's )?context|(?:prompt|input) is too long|input token count.{0,60}exceeds|exceeded model token limit|\bcontent\b.{0,40}string too long|range of input length|max_new_tokens.{0,4} must be <=|number of tokens in the prompt exceeds|reduce the length of/i;
/** Codes of Groq's for a tool call or JSON that the model has spoilt: another try may succeed. */
const SPOILT_REPLY = /\b(?:tool_use_failed|output_parse_failed|json_validate_failed)\b/;

/** Returns the first error code in the chain of causes: undici hides ECONNRESET below `TypeError: fetch failed`. */
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

/** Returns the error of `provider-fetch` or an adapter, however a client has wrapped it. */
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

/** Statuses of a server that timed out; 524 is Cloudflare's. */
const TIMEOUTS = [408, 524];
/** Statuses of missing capacity. 498 is Groq's, 529 Anthropic's, and all others but 503 Cloudflare's. */
const OUT_OF_CAPACITY = [498, 503, 520, 521, 522, 523, 529, 530];
/** Statuses of temporary refusals: a conflict, a fault of Bedrock's model, too early, a closed connection. */
const MAY_PASS = [409, 424, 425, 499];

/** Reports whether one request asks for more than the whole limit that refuses it: `Limit 6000, Requested 7500`. */
function asksForMoreThanAll(text: string): boolean {
  const [, limit = 0, requested = 0] =
    /\blimit:? (\d+)\b.{0,60}\brequested:? (\d+)/i.exec(text.replace(/(?<=\d),(?=\d)/g, '')) ?? [];
  return Number(requested) > Number(limit) && Number(limit) > 0;
}

function isUsedUp(text: string): boolean {
  return OF_THE_DAY.test(text.replace(OF_PLANS, '')) && !OF_THE_MINUTE.test(text);
}

/**
 * @param text what the server says
 * @param upstream what the provider behind it says of this prompt; of its account and its limits the server decides
 * @param isPage the body is a web page, as of a firewall before it
 */
function kindOfStatus(
  status: number,
  text: string,
  upstream: string | undefined,
  isPage: boolean,
): LanguageModelErrorKind {
  if (status === 429 && TOKENS_OF_THE_MINUTE.test(text)) return 'rate_limited';
  if (OUT_OF_MONEY.test(text) && status < 500) return 'quota_exhausted';
  // Gemini answers an unknown key with 400, not with 401.
  if (KEY_REFUSED.test(text) && status < 500) return 'authentication';
  if (status === 401) return 'authentication';
  // xAI and gateways answer 403 to a prompt that their filter stopped: the sample is at fault, not the key.
  if (status === 403) {
    const said = `${text} ${upstream ?? ''}`;
    if (CONTENT_REFUSED.test(said) && !NOT_PERMITTED.test(said)) return 'bad_request';
    return isPage || FIREWALL.test(text) || !NAMES_KEY.test(text) ? 'forbidden' : 'authentication';
  }
  if (status === 402) return 'quota_exhausted';
  if (status === 404) return 'not_found';
  if (TIMEOUTS.includes(status)) return 'timeout';
  if (status === 429) {
    // A single request above the limit per minute: waiting does not help.
    if (/request too large/i.test(text) || asksForMoreThanAll(text)) return 'bad_request';
    return isUsedUp(text) || OF_NOTHING.test(text) ? 'quota_exhausted' : 'rate_limited';
  }
  if (status === 420) return 'rate_limited';
  if (OUT_OF_CAPACITY.includes(status)) return 'overloaded';
  if (MAY_PASS.includes(status)) return 'server';
  // Old servers of llama.cpp answer 500 to it.
  const isTooLong = status === 413 && /\btokens?\b|\bcontext\b/i.test(text) && !OF_THE_MINUTE.test(text);
  if (isTooLong || CONTEXT_FULL.test(`${text} ${upstream ?? ''}`)) return 'context_full';
  if (status >= 500) return 'server';
  return SPOILT_REPLY.test(`${text} ${upstream ?? ''}`) ? 'broken_off' : 'bad_request';
}

const SAID: Partial<Record<LanguageModelErrorKind, string>> = {
  authentication: 'refused the key',
  forbidden: 'refused the request',
  not_found: 'does not know this model or path',
  bad_request: 'refused the request',
  context_full: 'has no room for the request in its context',
  rate_limited: 'is rate limiting',
  quota_exhausted: 'says that the account has no quota left',
  overloaded: 'is overloaded',
  server: 'failed',
  timeout: 'timed out',
};

function problemOf(error: Error): ProviderProblem | undefined {
  const { error: body } = error as { error?: unknown };
  return typeof body === 'object' && body !== null ? readProblem(body) : problemInText(error.message);
}

function fromAnswer(
  status: number,
  headers: Headers | undefined,
  problem: ProviderProblem | undefined,
  fallback: string,
  context: ErrorContext,
  isPage = false,
): LanguageModelError {
  const text = problem?.message ?? fallback;
  // A server that checks fields quotes the prompt as the wrong field's input: its words are not the server's.
  const [own = ''] = text.split(/['"]input['"]:/, 1);
  const evidence = [own, ...(problem?.codes ?? []), JSON.stringify(problem?.error.details ?? '')].join(' ');
  const kind = kindOfStatus(status, evidence, problem?.upstream, isPage || PAGE.test(text));
  const words = tidyErrorText((problem && wordsOf(problem)) ?? fallback, context.secrets);
  const isDated = kind === 'quota_exhausted' && isUsedUp(evidence);
  const [period = 'day'] = /week|month/i.exec(OF_THE_DAY.exec(evidence)?.[0] ?? '') ?? [];
  const said = isDated ? `says that the quota of the ${period.toLowerCase()} is used up` : SAID[kind];
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

/** Fields of which every reply body has at least one. */
const REPLY_FIELDS = ['choices', 'content', 'candidates', 'promptFeedback', 'data', 'embeddings'];
/** HTTP statuses of error codes that are words. */
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

/** Values of an error field that say that there is none. */
const NO_ERROR: readonly unknown[] = [undefined, null, false, '', 0, '0'];

/** Reports whether an error field is an actual error: some servers always send the field. */
function isGiven(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return !NO_ERROR.includes(error);
  return Object.values(error).some((value) => !NO_ERROR.includes(value));
}

/** Reports whether a field holds something of a reply; gateways send an empty `data` beside an error. */
const holdsReply = (outer: Record<string, unknown>) => (field: string) => {
  const value = outer[field];
  const isEmpty = field === 'data' && typeof value === 'object' && Object.keys(value ?? {}).length === 0;
  return value !== undefined && value !== null && !isEmpty;
};

/**
 * Returns the error inside a body of status 200, as some gateways send it, or undefined. A body that is no reply but
 * has a message counts as an error too, so that the server's own words are shown. An error beside a reply has
 * interrupted it (`broken_off`) if the status of the error is unknown or retryable.
 * @param body the parsed body.
 */
export function errorInsideBody(body: unknown, context: ErrorContext): LanguageModelError | undefined {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (!isMapping(outer)) return undefined;
  const hasError = isGiven(outer.error);
  const isReply = REPLY_FIELDS.some(holdsReply(outer));
  const problem = readProblem(outer);
  if (!hasError && (isReply || problem?.message === undefined)) return undefined;
  const said = (problem && wordsOf(problem)) ?? JSON.stringify(outer.error);
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

/** Converts whatever a provider's client threw into a {@link LanguageModelError}. Never throws. */
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
    return fromAnswer(status, received, problemOf(thrown), words, context, PAGE.test(thrown.message));
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
  // The client could not read the response: an error page instead of JSON, or JSON of another shape.
  if (context.response !== undefined && context.response.status >= 400) {
    const { status, headers } = context.response;
    return fromAnswer(status, headers, undefined, words, context, PAGE.test(thrown.message));
  }
  if (thrown instanceof SyntaxError || context.response !== undefined) {
    return make('malformed_reply', `${serverName} answered with something that is no reply: ${words}`);
  }
  return make('unknown', `the call to ${serverName} failed: ${thrown.name}: ${words}`);
}
