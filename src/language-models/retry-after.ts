import { isMapping } from '../contracts/json.js';

/** Maximum delay before a retry, whatever the provider requests. */
const MAXIMUM_RETRY_AFTER_MS = 10 * 60_000;

/** Maximum characters of an error message that are searched. */
const MAX_WORDS = 2000;
/** Numbers above which a reset is a time since 1970, not a duration: the year 2001 in seconds and in milliseconds. */
const SECONDS_FROM = 1e9;
const MILLISECONDS_FROM = 1e12;

interface HeaderReader {
  get(name: string): string | null;
}

function clamp(milliseconds: number): number | undefined {
  if (!Number.isFinite(milliseconds)) return undefined;
  return Math.min(Math.max(Math.ceil(milliseconds), 0), MAXIMUM_RETRY_AFTER_MS);
}

function fromHeaders(headers: HeaderReader, now: number): number | undefined {
  const milliseconds = headers.get('retry-after-ms');
  if (milliseconds !== null && milliseconds.trim() !== '') {
    const wait = clamp(Number(milliseconds));
    if (wait !== undefined) return wait;
  }
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  const seconds = Number(value);
  // RFC 9110, 10.2.3: either whole seconds or an HTTP date.
  return clamp(Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000);
}

/** Reads Google's `google.rpc.RetryInfo`, a duration such as `"17s"` or `"0.5s"`. */
function fromRetryInfo(error: unknown): number | undefined {
  const details = (error as { details?: unknown } | undefined)?.details;
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const delay = (detail as { retryDelay?: unknown } | null)?.retryDelay;
    const match = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay) : null;
    if (match !== null) return clamp(Number(match[1]) * 1000);
  }
  return undefined;
}

/** Returns the milliseconds of a duration such as `7m12s`, `2.5s`, `350ms` or `1h2m`; undefined for anything else. */
function spanOf(text: string): number | undefined {
  const units = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/gy)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined;
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit as keyof typeof units], 0);
}

/** Reads `Please try again in 7m12s.` of OpenAI and Groq, `Please retry after 24 seconds.` of Azure and the like. */
function fromWords({ message }: Record<string, unknown>): number | undefined {
  if (typeof message !== 'string') return undefined;
  const asked = /\b(?:try again|retry) (?:in|after) (\d[\d.hms]*[hms]\b|\d+(?:\.\d+)?(?= seconds?\b))/i;
  const [, span] = asked.exec(message.slice(0, MAX_WORDS)) ?? [];
  return span === undefined ? undefined : spanOf(/\d$/.test(span) ? `${span}s` : span);
}

/** Returns the milliseconds until a reset, given as a duration, or in seconds or milliseconds since 1970. */
function untilReset(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const span = spanOf(value.trim());
  if (span !== undefined) return span;
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return undefined;
  if (number > MILLISECONDS_FROM) return number - now;
  return number > SECONDS_FROM ? number * 1000 - now : number * 1000;
}

/** Reads the rate limit headers of OpenAI and OpenRouter, if one reports that nothing is left. */
function fromLimits(headers: HeaderReader, now: number): number | undefined {
  for (const of of ['', '-requests', '-tokens']) {
    if (headers.get(`x-ratelimit-remaining${of}`)?.trim() !== '0') continue;
    const wait = untilReset(headers.get(`x-ratelimit-reset${of}`), now);
    if (wait !== undefined) return wait;
  }
  return undefined;
}

/** Returns the headers of a 429 that OpenRouter passes on in the body. */
function headersInBody({ metadata }: Record<string, unknown>): HeaderReader | undefined {
  const headers = isMapping(metadata) ? metadata.headers : undefined;
  if (!isMapping(headers)) return undefined;
  const read = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
  return { get: (name) => read.get(name) ?? null };
}

/**
 * Returns the milliseconds that the provider requested to wait, between 0 and ten minutes; undefined if none. Headers
 * precede the error body: a gateway in front of the provider sets them.
 * @param error the body's error, such as `{message, details, metadata}`.
 */
export function readRetryAfter(
  headers: HeaderReader | undefined,
  error: unknown,
  now: number = Date.now(),
): number | undefined {
  const said = isMapping(error) ? error : {};
  const sources = [headers, headersInBody(said)].filter((source) => source !== undefined);
  const asked = sources.map((source) => fromHeaders(source, now)).find((wait) => wait !== undefined);
  const wait =
    asked ??
    fromRetryInfo(said) ??
    fromWords(said) ??
    sources.map((source) => fromLimits(source, now)).find((reset) => reset !== undefined);
  return wait === undefined ? undefined : clamp(wait);
}
