import { setTimeout as pause } from 'node:timers/promises';
import { withoutTrailing } from '../contracts/trailing.js';
import { DatasetError, reasonOf } from './dataset-error.js';

const HF_DEFAULT_ENDPOINT = 'https://huggingface.co';
const FIELD = 'dataset.hf_name';
const ATTEMPTS = 5;
const LONGEST_PAUSE_MS = 60_000;
const REDIRECTS = 10;
/** Milliseconds without data before a request is aborted and tried again. */
const IDLE_TIMEOUT_MS = 60_000;

export interface HubOptions {
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  retryPauseMs?: number;
  /** Called with each failed attempt, and with null when the hub answers. */
  onUnreachable?: (unreachable: { since: number; message: string } | null) => void;
  /** Receives a note where the hub has only a part of the split. */
  notify?: (sentence: string) => void;
}

/** Returns the hub's address, without a trailing slash. */
export function hubEndpoint(environment: HubOptions['environment']): URL {
  const text = environment.HF_ENDPOINT || HF_DEFAULT_ENDPOINT;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))
    return new URL(withoutTrailing(text, /\//));
  throw new DatasetError(`HF_ENDPOINT ${JSON.stringify(text)} is no http address`, FIELD);
}

export function hubToken(environment: HubOptions['environment']): string | null {
  return (environment.HF_TOKEN || environment.HUGGING_FACE_HUB_TOKEN || '').trim() || null;
}

/** Replaces the hub's address in a link by the endpoint in use: mirrors pass the hub's links on unchanged. */
export function throughEndpoint(link: string, environment: HubOptions['environment']): string {
  const endpoint = hubEndpoint(environment).href.replace(/\/$/, '');
  return link.startsWith(`${HF_DEFAULT_ENDPOINT}/`)
    ? endpoint + link.slice(HF_DEFAULT_ENDPOINT.length)
    : link;
}

/** A response, with the identity of its content as the hub states it in headers. */
export interface HubResponse {
  response: Response;
  /** The content's ETag; `null` where none was given. */
  etag: string | null;
  /** True if the content is the known one; redirects were followed only as far as needed to see that. */
  unchanged: boolean;
  /** Restarts the timeout. After a minute without a call the response is aborted. */
  keepAlive: () => void;
  /** Stops the timeout and discards the rest of the body. */
  release: () => Promise<void>;
}

/**
 * Sends a GET and passes its response to `consume`; both are repeated, with growing pauses, when the connection fails,
 * when the hub answers 429 or 5xx (Retry-After is respected up to a minute), and when `consume` fails while it reads.
 * @param knownEtag the ETag of the content that is already present.
 * @throws DatasetError (retryable) when no attempt succeeded.
 */
export async function requestHub<Result>(
  url: string,
  options: HubOptions,
  knownEtag: string | null,
  consume: (answer: HubResponse) => Promise<Result>,
): Promise<Result> {
  let problem = '';
  let cause: unknown;
  const since = Date.now();
  const place = () => `${new URL(url).origin}${new URL(url).pathname} (${FIELD})`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    let wait = (options.retryPauseMs ?? 1_000) * 2 ** attempt * (1 + Math.random() / 2);
    try {
      const answer = await follow(url, options, knownEtag);
      try {
        const { status, headers } = answer.response;
        if (status !== 429 && status < 500) {
          options.onUnreachable?.(null);
          return await consume(answer);
        }
        problem = `it answered ${status}`;
        cause = undefined;
        wait = Math.max(wait, retryAfterMs(headers));
      } finally {
        await answer.release();
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof DatasetError) throw error;
      cause = error;
      problem = withCause(error);
    }
    options.onUnreachable?.({ since, message: `cannot get ${place()}: ${problem}` });
    if (attempt < ATTEMPTS - 1) {
      await pause(Math.min(wait, LONGEST_PAUSE_MS), undefined, { signal: options.signal });
    }
  }
  throw new DatasetError(`cannot get ${place()}, tried ${ATTEMPTS} times: ${problem}`, FIELD, {
    cause,
    retryable: true,
  });
}

/**
 * Follows redirects by hand, because the token may be sent to the endpoint's own origin only: the hub redirects
 * downloads to the hosts of a CDN.
 */
async function follow(url: string, options: HubOptions, knownEtag: string | null): Promise<HubResponse> {
  const { origin } = hubEndpoint(options.environment);
  const token = hubToken(options.environment);
  const watch = createWatch(options.signal);
  let target = new URL(url);
  let etag: string | null = null;
  try {
    for (let hop = 0; hop <= REDIRECTS; hop += 1) {
      const headers: Record<string, string> = { 'user-agent': 'reprise' };
      if (token !== null && target.origin === origin) headers.authorization = `Bearer ${token}`;
      watch.keepAlive();
      const response = await fetch(target, { headers, redirect: 'manual', signal: watch.signal });
      // The hub states the content's identity on its own redirect; the CDN's ETag may be that of a storage block.
      etag ??= response.headers.get('x-linked-etag');
      const location = response.headers.get('location');
      const isRedirect = response.status >= 300 && response.status < 400 && location !== null;
      if (!isRedirect) etag ??= response.headers.get('etag');
      const unchanged = etag !== null && etag === knownEtag && response.status < 400;
      if (!isRedirect || unchanged) {
        const release = async () => {
          watch.stop();
          await response.body?.cancel().catch(() => {});
        };
        return { response, etag, unchanged, keepAlive: watch.keepAlive, release };
      }
      await response.body?.cancel();
      target = new URL(location, target);
    }
    throw new DatasetError(`${url} (${FIELD}) redirects more than ${REDIRECTS} times`, FIELD);
  } catch (error) {
    watch.stop();
    throw error;
  }
}

function createWatch(outer: AbortSignal | undefined) {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const keepAlive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      controller.abort(new Error(`nothing arrived for ${IDLE_TIMEOUT_MS / 1000} s`));
    }, IDLE_TIMEOUT_MS);
  };
  const signal = outer === undefined ? controller.signal : AbortSignal.any([outer, controller.signal]);
  return { signal, keepAlive, stop: () => clearTimeout(timer) };
}

/** Adds the cause to a message: `fetch failed` alone says nothing. */
function withCause(error: unknown): string {
  const inner = error instanceof Error ? error.cause : undefined;
  return inner === undefined ? reasonOf(error) : `${reasonOf(error)}: ${reasonOf(inner)}`;
}

function retryAfterMs(headers: Headers): number {
  const value = headers.get('retry-after');
  if (value === null) return 0;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : 0;
}
