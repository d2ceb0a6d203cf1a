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

/** The longest delay a Node timer can represent; beyond it `setTimeout` fires at once. */
const MAXIMUM_TIMER_MS = 2 ** 31 - 1;

/** What one attempt is handed: the signal that ends it, and where to leave the HTTP answer it saw. */
export interface Attempt {
  /** Aborted by the caller or by the deadline, whichever comes first. */
  signal: AbortSignal;
  idempotencyKey?: string;
  /** Set by adapters whose client's errors do not carry status and headers. */
  response?: { status: number; headers: Headers };
}

export interface GuardOptions {
  provider: string;
  /** How messages name the server; the provider by default. */
  serverName?: string;
  /** Milliseconds one request may take, from the first byte sent to the last byte read. */
  timeoutMs: number;
  /** Keys that must not appear in an error message. */
  secrets?: readonly string[];
}

/**
 * Puts the deadline and the error classifier around one request, so that all adapters have the same ones.
 *
 * Invariant: it settles when the deadline passes or the caller aborts, even if the client ignores the signal, for
 * instance while it reads the body of a server that hangs.
 */
export async function guardRequest<Reply>(
  options: GuardOptions,
  { signal, idempotencyKey }: GenerateOptions,
  send: (attempt: Attempt) => Promise<Reply>,
): Promise<Reply> {
  const controller = new AbortController();
  // Timeout and cancellation look alike to a client (AbortError), so remember here which one it was.
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

  const attempt: Attempt = { signal: controller.signal, idempotencyKey };
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
 * A language model whose every request is guarded. What is sent and what comes back is well-formed, no two tool calls of
 * a chat have one id, and a reply that was withheld is none, whoever reads or replays it.
 */
export function guard(
  { serverName = '', ...options }: GuardOptions,
  generate: (request: GenerateRequest, attempt: Attempt) => Promise<GenerateReply>,
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

/** Runs work, but rejects as soon as the signal aborts. What the work does afterwards is nobody's concern. */
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

/** `openai at 127.0.0.1:8000`: a server that is not the vendor's own is named by its host, without credentials. */
export function nameServer(provider: string, baseUrl: string | undefined): string {
  return baseUrl === undefined ? provider : `${provider} at ${new URL(baseUrl).host}`;
}
