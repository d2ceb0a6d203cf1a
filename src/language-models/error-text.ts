import { isMapping } from '../contracts/json.js';
import { printableLine } from '../contracts/printable.js';

/** Characters of a provider's own words that go into a message. */
const MAXIMUM_ERROR_TEXT = 300;

/** Forms of well-known credentials, in case a server echoes the one it was sent. */
const CREDENTIALS = [
  /\b(?:sk|pk|rk|gsk|xai|hf|key)[-_][A-Za-z0-9_*.-]{8,}/g,
  /\bAIza[A-Za-z0-9_*-]{8,}/g,
  /\bBearer\s+[^\s"',;]+/gi,
];

/** Shortens text to `maximum` characters, marking the cut. */
export function shorten(text: string, maximum: number = MAXIMUM_ERROR_TEXT): string {
  return text.length <= maximum ? text : `${text.slice(0, maximum - 1)}…`;
}

/** One bounded line without markup and without credentials, fit for a log, a history and a table. */
export function tidyErrorText(text: string, secrets: readonly string[] = []): string {
  // Cut before the regular expressions run: a body may be megabytes long. Keep room for what tags take.
  let line = text.slice(0, 20 * MAXIMUM_ERROR_TEXT);
  for (const secret of secrets) if (secret.length >= 6) line = line.replaceAll(secret, '***');
  for (const pattern of CREDENTIALS) line = line.replace(pattern, '***');
  if (/^\s*</.test(line)) {
    line = line.replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/gi, ' ').replace(/<[^<>]*>/g, ' ');
  }
  return shorten(printableLine(line));
}

function record(value: unknown): Record<string, unknown> | undefined {
  return isMapping(value) ? value : undefined;
}

/** What a provider said in an error body. */
export interface ProviderProblem {
  message?: string;
  /** OpenAI's `code`, Google's `status`, Anthropic's `type`: the machine-readable word. */
  codes: string[];
  /** The error object itself, for details such as Google's RetryInfo. */
  error: Record<string, unknown>;
}

/**
 * Reads `{error: {…}}`, `[{error: {…}}]`, `{error: "…"}`, `{errors: […]}`, `{message}`, `{detail}`, `{msg}` or MiniMax's
 * `{base_resp: {…}}`, as the various servers write it.
 */
export function readProblem(body: unknown): ProviderProblem | undefined {
  const outer = record(Array.isArray(body) ? body[0] : body);
  if (outer === undefined) return undefined;
  const [first] = Array.isArray(outer.errors) ? outer.errors : [];
  const inner = record(outer.error) ?? record(first) ?? record(outer.base_resp) ?? outer;
  const words = [inner.message, outer.error, first, inner.detail, inner.msg, inner.status_msg, outer.message];
  const message =
    words.find((word): word is string => typeof word === 'string' && word !== '') ??
    // FastAPI servers list what is wrong with each field.
    (inner.detail === undefined || inner.detail === null ? undefined : JSON.stringify(inner.detail));
  const codes = [inner.code, inner.type, inner.status].filter((code) => typeof code === 'string');
  return message === undefined && codes.length === 0 ? undefined : { message, codes, error: inner };
}
