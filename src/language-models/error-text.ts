import { isMapping } from '../contracts/json.js';
import { printableLine } from '../contracts/printable.js';

/** Maximum characters of a provider's message in an error message. */
const MAXIMUM_ERROR_TEXT = 300;

/** Forms of well-known credentials, in case a server echoes the one that it was sent. */
const CREDENTIALS = [
  /\b(?:sk|pk|rk|gsk|xai|hf|key)[-_][A-Za-z0-9_*.-]{8,}/g,
  /\bAIza[A-Za-z0-9_*-]{8,}/g,
  /\bBearer\s+[^\s"',;]+/gi,
];

/** Shortens text to `maximum` characters, marking the cut. */
export function shorten(text: string, maximum: number = MAXIMUM_ERROR_TEXT): string {
  return text.length <= maximum ? text : `${text.slice(0, maximum - 1)}…`;
}

/** Converts text to one bounded line without markup and credentials, for logs, histories and tables. */
export function tidyErrorText(text: string, secrets: readonly string[] = []): string {
  // Cut before the regular expressions run, since a body may have megabytes. The factor leaves room for tags.
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

/** Problem that a provider reports in an error body. */
export interface ProviderProblem {
  message?: string;
  /** Words of the provider behind a gateway, which the gateway passes on beside its own: OpenRouter's `metadata.raw`. */
  upstream?: string;
  /** Machine-readable codes: OpenAI's `code`, Google's `status`, Anthropic's `type`. */
  codes: string[];
  /** Error object itself, for details such as Google's RetryInfo. */
  error: Record<string, unknown>;
}

/**
 * Reads an error body in any of the servers' forms: `{error: {…}}`, `[{error: {…}}]`, `{error: "…"}`, `{errors: […]}`,
 * `{message}`, `{detail}`, `{msg}` or MiniMax's `{base_resp: {…}}`.
 */
export function readProblem(body: unknown): ProviderProblem | undefined {
  const outer = record(Array.isArray(body) ? body[0] : body);
  if (outer === undefined) return undefined;
  const [first] = Array.isArray(outer.errors) ? outer.errors : [];
  const inner = record(outer.error) ?? record(first) ?? record(outer.base_resp) ?? outer;
  const words = [inner.message, outer.error, first, inner.detail, inner.msg, inner.status_msg, outer.message];
  const message =
    words.find((word): word is string => typeof word === 'string' && word !== '') ??
    // FastAPI servers list the problem of each field.
    (inner.detail === undefined || inner.detail === null ? undefined : JSON.stringify(inner.detail));
  const codes = [inner.code, inner.type, inner.status].filter((code) => typeof code === 'string');
  if (message === undefined && codes.length === 0) return undefined;
  return { message, ...upstreamOf(inner), codes, error: inner };
}

function upstreamOf({ metadata }: Record<string, unknown>): Pick<ProviderProblem, 'upstream'> {
  const raw = record(metadata)?.raw;
  const body =
    typeof raw === 'string' ? (problemInText(raw) ?? { message: raw, codes: [] }) : readProblem(raw);
  const words = [body?.message, ...(body?.codes ?? [])].filter((word) => word !== undefined && word !== '');
  return words.length === 0 ? {} : { upstream: words.join(' ') };
}

/** Returns the problem of an error body that is given as text, as @google/genai and gateways do. */
export function problemInText(text: string): ProviderProblem | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return readProblem(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns what a provider says, with what the one behind a gateway has said. */
export function wordsOf({ message, upstream }: ProviderProblem): string | undefined {
  return upstream === undefined ? message : [message, upstream].filter(Boolean).join(': ');
}
