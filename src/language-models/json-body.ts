import { jsonFault } from '../contracts/json.js';
import { shorten, tidyErrorText } from './error-text.js';
import { LanguageModelError } from './errors.js';
import type { FetchOptions } from './provider-fetch.js';

/** Maximum characters of a response that a message quotes. */
const MAX_QUOTED = 120;

/** Comments of an event stream, with which a server keeps a connection open until it answers. */
const COMMENTS = /^(?:\s*:[^\n]*\n)+/;
/** Strings, and Python's NaN and Infinity, which JSON does not have. */
const PYTHONS_NUMBERS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\b(?:NaN|Infinity)\b/g;

/**
 * Returns the JSON of a body, without comments and with null for NaN and Infinity.
 * @throws SyntaxError if there is none.
 */
function jsonIn(body: string): string {
  // `Response.text` removes only one byte order mark.
  const text = body
    .replace(/^[\s\ufeff]+/, '')
    .replace(COMMENTS, '')
    .trim();
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    if (!/\b(?:NaN|Infinity)\b/.test(text)) throw error;
    const known = text.replace(PYTHONS_NUMBERS, (token) => (token.startsWith('"') ? token : 'null'));
    JSON.parse(known);
    return known;
  }
}

function whatIs(body: string, error: unknown): string {
  const text = body.replace(COMMENTS, '').trim();
  if (text === '') return 'with an empty body';
  const quoted = shorten(tidyErrorText(text), MAX_QUOTED);
  if (/^(?:data|event|id|retry):/.test(text))
    return `with an event stream, which was not asked for: ${quoted}`;
  if (/^<(?:!doctype|html|head|body|\?xml)/i.test(text)) return `with a web page: ${quoted}`;
  if (/^[[{]/.test(text)) return `with JSON that cannot be read, ${jsonFault(error)}`;
  return `with a text that is no JSON: ${quoted}`;
}

/**
 * Returns a response that clients parse as JSON: they rely on the content type, but servers send JSON with any type, or
 * after white space and comments. Reads the body; an error response is returned unchanged.
 * @throws LanguageModelError (`malformed_reply`) that describes the body.
 */
export async function asJson(
  response: Response,
  { provider, serverName }: Pick<FetchOptions, 'provider' | 'serverName'>,
): Promise<Response> {
  if (!response.ok) return response;
  const body = await response.text();
  try {
    const headers = new Headers(response.headers);
    headers.set('content-type', 'application/json');
    return new Response(jsonIn(body), { status: 200, headers });
  } catch (error) {
    const what = whatIs(body, error);
    throw new LanguageModelError('malformed_reply', `${serverName} answered ${what}`, { provider });
  }
}
