import type { Transformer } from 'node:stream/web';
import { LanguageModelError } from './errors.js';
import { asJson } from './json-body.js';

/** undici keeps its global dispatcher under this symbol; @google/genai finds it in the same way. */
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
/** Megabytes of a model's reply, unless a config says otherwise: a long one has a tenth of that. */
const DEFAULT_REPLY_MB = 4;
/** Megabytes of an answer with vectors: 512 of 3,072 numbers are 20. */
export const VECTORS_MB = 64;
/** Bytes of an error's body that are read: it becomes a line. */
const MOST_OF_ERROR = 1_000_000;

/** Whom a fetch is for, and how much of an answer it takes. */
export interface FetchOptions {
  provider: string;
  /** How messages name the server. */
  serverName: string;
  /** Megabytes of a reply, after unpacking. */
  maxReplyMb: number;
  /** The field of the config that sets it; none where nothing does. */
  field?: string;
}

/** A fetch for a model's replies, whose size `lm.max_reply_mb` sets. */
export function forReplies(
  provider: string,
  serverName: string,
  maxReplyMb = DEFAULT_REPLY_MB,
): FetchOptions {
  return { provider, serverName, maxReplyMb, field: 'lm.max_reply_mb' };
}

/**
 * Node's fetch as adapters need it.
 *
 * - Without its own limits of time: undici gives up after 300 s without headers, or between two parts of a body, which
 *   would cut a `timeout_sec` above that short. The deadline is `guard`'s.
 * - With a limit of size: a body of a few megabytes may unpack to gigabytes, and one that has no end needs no packing.
 * - With JSON under its own name, whatever the server calls it.
 * - Without redirects: fetch takes a key along that stands in a header of its own, to whatever host it is sent to.
 *
 * What it throws is a `LanguageModelError`, which a client may have wrapped (`cause`) when it arrives.
 */
export function providerFetch(options: FetchOptions): typeof fetch {
  return async (input, init) => {
    // Node installs the dispatcher when its fetch is first touched.
    new Headers();
    const known = GLOBAL_DISPATCHER in globalThis;
    const response = await fetch(input, {
      ...init,
      redirect: 'manual',
      ...(known ? { dispatcher: withoutTimeouts } : {}),
    } as RequestInit);
    if (response.status >= 300 && response.status < 400) throw await redirected(response, options);
    return asJson(limited(response, options), options);
  };
}

/** The host alone of an address: the rest may hold what is nobody's business. */
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
  const cut = response.ok ? endWithError(options) : endAt(MOST_OF_ERROR);
  return new Response(body.pipeThrough(new TransformStream(cut)), { status, headers });
}

type ByteTransformer = Transformer<Uint8Array, Uint8Array>;

/** Ends a body as if it were over. */
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
