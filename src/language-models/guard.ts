import { serviceOf } from '../config/providers.js';
import type {
  GenerateOptions,
  GenerateReply,
  GenerateRequest,
  LanguageModel,
} from '../contracts/language-model.js';
import { wellFormedIn } from '../contracts/well-formed.js';
import { readableCalls } from './chat-messages.js';
import { classifyError } from './classify-error.js';
import { failedEnd } from './reply-end.js';

/** Maximum delay of a Node timer; `setTimeout` fires at once for a longer one. */
const MAXIMUM_TIMER_MS = 2 ** 31 - 1;

/** State of one attempt: the signal that ends it, and the HTTP response. */
export interface GuardedAttempt {
  /** Signal aborted by the caller or by the deadline, whichever comes first. */
  signal: AbortSignal;
  idempotencyKey?: string;
  /** HTTP response, set by adapters whose client's errors do not contain status and headers. */
  response?: { status: number; headers: Headers };
}

export interface GuardOptions {
  provider: string;
  /** Name of the server in messages; the provider by default. */
  serverName?: string;
  /** Milliseconds one request may take, from the first byte sent to the last byte read. */
  timeoutMs: number;
  /** Keys that must not appear in an error message. */
  secrets?: readonly string[];
}

/**
 * Sends one request with a deadline and classified errors, the same for all adapters.
 *
 * Invariant: it settles when the deadline passes or the caller aborts, even if the client ignores the signal, for
 * instance while it reads the body of a server that hangs.
 */
export async function guardRequest<Reply>(
  options: GuardOptions,
  { signal, idempotencyKey }: GenerateOptions,
  send: (attempt: GuardedAttempt) => Promise<Reply>,
): Promise<Reply> {
  const controller = new AbortController();
  // A client reports timeout and cancellation alike (AbortError), so this variable tells them apart.
  let timedOut = false;
  const deadline = setTimeout(
    () => {
      timedOut = true;
      controller.abort();
    },
    Math.min(options.timeoutMs, MAXIMUM_TIMER_MS),
  );
  const cancel = () => controller.abort();
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();

  const attempt: GuardedAttempt = { signal: controller.signal, idempotencyKey };
  try {
    return await settleOnAbort(controller.signal, () => send(attempt));
  } catch (error) {
    throw classifyError(error, {
      provider: options.provider,
      serverName: options.serverName,
      timedOutAfterMs: timedOut ? options.timeoutMs : undefined,
      aborted: controller.signal.aborted,
      response: attempt.response,
      secrets: options.secrets,
    });
  } finally {
    clearTimeout(deadline);
    // A caller's signal may outlive thousands of calls.
    signal?.removeEventListener('abort', cancel);
  }
}

/**
 * Creates a language model with {@link guardRequest} around every request. Requests and replies are well-formed, tool
 * calls of a chat have unique ids, and a withheld reply is an error.
 */
export function guard(
  { serverName = '', ...options }: GuardOptions,
  generate: (request: GenerateRequest, attempt: GuardedAttempt) => Promise<GenerateReply>,
): LanguageModel {
  const server = { provider: options.provider, serverName: serverName || options.provider };
  return {
    generate: (given, callOptions = {}) =>
      guardRequest({ ...options, ...server }, callOptions, async (attempt) => {
        const request = wellFormedIn(given);
        const reply = wellFormedIn(await generate(request, attempt));
        const { finish_reason: reason, usage, tool_calls } = reply;
        if (reason === 'content_filter') throw failedEnd({ ...server, end: reason, reason, usage });
        return tool_calls === undefined
          ? reply
          : { ...reply, tool_calls: readableCalls(tool_calls, request) };
      }),
  };
}

/** Runs work, but rejects as soon as the signal aborts; later results of the work are ignored. */
async function settleOnAbort<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const working = work();
  // The loser of the race must not become an unhandled rejection.
  working.catch(() => {});
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return await Promise.race([working, aborted]);
}

/**
 * Names a server: the provider, with the host (without credentials) of any other server than its own, as in `openai at
 * 127.0.0.1:8000`.
 */
export function nameServer(provider: string, baseUrl: string | undefined): string {
  return baseUrl === undefined || baseUrl === serviceOf(provider)?.address
    ? provider
    : `${provider} at ${new URL(baseUrl).host}`;
}
