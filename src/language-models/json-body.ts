import { jsonFault } from '../contracts/json.js';
import { shorten, tidyErrorText } from './error-text.js';
import { LanguageModelError } from './errors.js';
import type { FetchOptions } from './provider-fetch.js';

/** Characters of an answer that a message quotes. */
const MOST_QUOTED = 120;

/** Comments of an event stream, with which a server keeps a connection open until it has its answer. */
const COMMENTS = /^(?:\s*:[^\n]*\n)+/;
/** What Python writes and JSON does not know, outside of strings. */
const PYTHONS_NUMBERS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\b(?:NaN|Infinity)\b/g;

/** The JSON of a body, whatever stands around it. @throws SyntaxError where there is none. */
function jsonIn(body: string): string {
  // `Response.text` takes a byte order mark off; one that was written twice is left.
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
  const quoted = shorten(tidyErrorText(text), MOST_QUOTED);
  if (/^(?:data|event|id|retry):/.test(text))
    return `with an event stream, which was not asked for: ${quoted}`;
  if (/^<(?:!doctype|html|head|body|\?xml)/i.test(text)) return `with a web page: ${quoted}`;
  if (/^[[{]/.test(text)) return `with JSON that cannot be read, ${jsonFault(error)}`;
  return `with a text that is no JSON: ${quoted}`;
}

/**
 * The answer as clients can read it: they go by its content type, and servers send JSON under any, or behind white space
 * and comments. Its body is read here; an answer that is an error stays as it is.
 * @throws LanguageModelError (`malformed_reply`) that says what the body is.
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
