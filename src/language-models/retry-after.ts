/** No provider is waited for longer than this, whatever it asks for. */
export const MAXIMUM_RETRY_AFTER_MS = 10 * 60_000;

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

/** Google's `google.rpc.RetryInfo`, a duration such as `"17s"` or `"0.5s"`. */
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

/**
 * Milliseconds the provider asked to wait, between 0 and ten minutes; undefined where it did not say.
 * Headers come before the error body: a gateway in front of the provider speaks through them.
 */
export function readRetryAfter(
  headers: HeaderReader | undefined,
  error: unknown,
  now: number = Date.now(),
): number | undefined {
  return (headers === undefined ? undefined : fromHeaders(headers, now)) ?? fromRetryInfo(error);
}
