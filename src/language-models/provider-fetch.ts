import type { Transformer } from 'node:stream/web';
import { jsonFault } from '../contracts/json.js';
import { shorten, tidyErrorText } from './error-text.js';
import { LanguageModelError } from './errors.js';
import { markIntegers, unmarkIntegers } from './exact-integers.js';

/** Symbol of undici's global dispatcher; @google/genai finds it in the same way. */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

const withoutTimeouts: Dispatcher = {
  dispatch(options, handler) {
    const global = (globalThis as { [GLOBAL_DISPATCHER]?: Dispatcher })[GLOBAL_DISPATCHER];
    if (global === undefined) throw new Error('this Node has no undici dispatcher');
    return global.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  },
};

/** Bytes of a megabyte, as `lm.max_reply_mb` counts them. */
const MEGABYTE = 1_000_000;
/** Default maximum megabytes of a model's reply; even long replies have only a tenth of that. */
const DEFAULT_REPLY_MB = 4;
/** Maximum megabytes of a response with vectors: 512 of 3,072 numbers are 20. */
export const VECTORS_MB = 64;
/** Maximum bytes of an error's body, which becomes one line. */
const MAX_ERROR_BYTES = 1_000_000;

export interface FetchOptions {
  provider: string;
  /** Name of the server in messages. */
  serverName: string;
  /** Maximum megabytes of a reply, after unpacking. */
  maxReplyMb: number;
  /** Field of the config that sets the maximum, if any. */
  field?: string;
}

/** Returns the options of a fetch for replies, whose size `lm.max_reply_mb` limits. */
export function forReplies(
  provider: string,
  serverName: string,
  maxReplyMb = DEFAULT_REPLY_MB,
): FetchOptions {
  return { provider, serverName, maxReplyMb, field: 'lm.max_reply_mb' };
}

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
async function asJson(
  response: Response,
  { provider, serverName }: Pick<FetchOptions, 'provider' | 'serverName'>,
): Promise<Response> {
  if (!response.ok) return response;
  const body = await response.text();
  try {
    const headers = new Headers(response.headers);
    headers.set('content-type', 'application/json');
    return new Response(markIntegers(jsonIn(body)), { status: 200, headers });
  } catch (error) {
    const what = whatIs(body, error);
    throw new LanguageModelError('malformed_reply', `${serverName} answered ${what}`, { provider });
  }
}

/**
 * Creates a variant of Node's fetch for adapters.
 *
 * - Without undici's time limits of 300 s for the headers and between two parts of a body, which may be shorter than
 *   `timeout_sec`. `guard` has the deadline.
 * - With a size limit: a body of a few megabytes may unpack to gigabytes, and a body may be endless.
 * - With JSON's content type, whatever the server calls it.
 * - With the integers of tool calls as they are, by their marks: see `exact-integers.ts`.
 * - Without redirects: fetch would send a key in a custom header to any host.
 *
 * It throws a `LanguageModelError`, which a client may wrap (`cause`).
 */
export function providerFetch(options: FetchOptions): typeof fetch {
  return async (input, init) => {
    // Node installs the dispatcher when its fetch API is first used.
    new Headers();
    const known = GLOBAL_DISPATCHER in globalThis;
    const response = await fetch(input, {
      ...init,
      ...(typeof init?.body === 'string' && { body: unmarkIntegers(init.body) }),
      redirect: 'manual',
      ...(known ? { dispatcher: withoutTimeouts } : {}),
    } as RequestInit);
    if (response.status >= 300 && response.status < 400) throw await redirected(response, options);
    return asJson(limited(response, options), options);
  };
}

/** Returns only the host of an address: the rest may be confidential. */
function hostOf(address: string | null, from: string): string | null {
  if (address === null || !URL.canParse(address, from)) return null;
  return new URL(address, from).host;
}

async function redirected(response: Response, options: FetchOptions): Promise<LanguageModelError> {
  await response.body?.cancel();
  const { provider, serverName } = options;
  const host = hostOf(response.headers.get('location'), response.url);
  return new LanguageModelError(
    'redirected',
    `${serverName} redirects${host === null ? '' : ` to ${host}`} (HTTP ${response.status}), which is not followed because the key would go along: set base_url to the address that answers`,
    { provider, status: response.status },
  );
}

function limited(response: Response, options: FetchOptions): Response {
  const { body, status, headers } = response;
  if (body === null) return response;
  const cut = response.ok ? endWithError(options) : endAt(MAX_ERROR_BYTES);
  return new Response(body.pipeThrough(new TransformStream(cut)), { status, headers });
}

type ByteTransformer = Transformer<Uint8Array, Uint8Array>;

/** Ends a body at a maximum size without an error. */
function endAt(maximum: number): ByteTransformer {
  let left = maximum;
  return {
    transform(chunk, controller) {
      if (left > 0) controller.enqueue(chunk.subarray(0, left));
      left -= chunk.byteLength;
      if (left <= 0) controller.terminate();
    },
  };
}

function endWithError({ provider, serverName, maxReplyMb, field }: FetchOptions): ByteTransformer {
  let left = maxReplyMb * MEGABYTE;
  return {
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left >= 0) controller.enqueue(chunk);
      else {
        const way = field === undefined ? '' : `; ${field} allows more`;
        const message = `${serverName} answered with more than ${maxReplyMb} MB${way}`;
        controller.error(new LanguageModelError('reply_too_long', message, { provider }));
      }
    },
  };
}
