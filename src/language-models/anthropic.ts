import Anthropic from '@anthropic-ai/sdk';
import type { Message, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import type { LanguageModel } from '../contracts/language-model.js';
import { withoutTrailing } from '../contracts/trailing.js';
import { isClassic } from './anthropic-thinking.js';
import { joinedMessage, readMessage, toWireRequest } from './anthropic-wire.js';
import type { Notify } from './chat-messages.js';
import { dialectOf, LearnedDialect } from './dialect.js';
import { type GuardedAttempt, guard, nameServer } from './guard.js';
import { forReplies, providerFetch } from './provider-fetch.js';

const ANTHROPIC_BASE_URL = 'https://api.anthropic.com';

/** Last version of the API that accepts parameters of sampling; the client sends a later one. */
const VERSION_WITH_SAMPLING = '2023-06-01';

/** Timeout that disables the client's own timer: `guard` has the deadline, which includes the body. */
const NO_CLIENT_TIMEOUT_MS = 2 ** 31 - 1;

/** Maximum of requests for one reply that the API pauses, after which the turn counts as broken off. */
const MAX_PARTS = 10;

export interface AnthropicOptions {
  model: string;
  apiKey: string;
  /** Milliseconds one request may take. */
  timeoutMs: number;
  /** Maximum megabytes of a reply. */
  maxReplyMb?: number;
  /** Base URL, with or without `/v1` at its end. */
  baseUrl?: string;
  notify?: Notify;
}

/**
 * Creates a model behind Anthropic's Messages API (`POST /v1/messages`). One request per call, except that a paused
 * turn is continued, and a request with a refused field is repeated in the server's dialect.
 */
export function anthropicLanguageModel(options: AnthropicOptions): LanguageModel {
  const { model, apiKey, notify } = options;
  const baseURL = withoutTrailing(options.baseUrl ?? ANTHROPIC_BASE_URL, /\//).replace(/\/v1$/, '');
  const serverName = nameServer('anthropic', options.baseUrl);
  const client = new Anthropic({
    apiKey,
    baseURL,
    maxRetries: 0,
    timeout: NO_CLIENT_TIMEOUT_MS,
    fetch: providerFetch(forReplies('anthropic', serverName, options.maxReplyMb)),
    logLevel: 'off',
    openTelemetry: false,
    // The client sends the key as a bearer token; older gateways expect it here.
    ...(options.baseUrl !== undefined && { defaultHeaders: { 'x-api-key': apiKey } }),
  });
  const origin = { provider: 'anthropic', serverName, secrets: [apiKey] };
  // Later models have no parameters of sampling.
  const samples = isClassic(model);
  const learned = new LearnedDialect(
    { ...dialectOf('anthropic'), temperature: samples, top_p: samples, top_k: samples },
    { notify, secrets: [apiKey] },
  );

  function post(
    body: object,
    headers: Readonly<Record<string, string>>,
    attempt: GuardedAttempt,
    part: number,
  ): Promise<unknown> {
    // `messages.create` prints a warning per call for older models, and refuses long replies without streaming.
    return client.post('/v1/messages', {
      body,
      signal: attempt.signal,
      headers: {
        ...headers,
        ...(attempt.idempotencyKey && {
          'idempotency-key': part === 0 ? attempt.idempotencyKey : `${attempt.idempotencyKey}-${part}`,
        }),
      },
    });
  }

  return guard({ ...origin, timeoutMs: options.timeoutMs }, (request, attempt) =>
    learned.ask(request, async (dialect, say) => {
      const { body, needsOlderVersion } = toWireRequest(model, request, dialect, say);
      const headers = {
        ...request.parameters.extra_headers,
        ...(needsOlderVersion && { 'anthropic-version': VERSION_WITH_SAMPLING }),
      };
      const messages: MessageParam[] = [...body.messages];
      const parts: Partial<Message>[] = [];
      for (;;) {
        const reply = await post({ ...body, messages }, headers, attempt, parts.length);
        const part = (reply ?? {}) as Partial<Message>;
        const isPaused = part.stop_reason === 'pause_turn' && Array.isArray(part.content);
        if (!isPaused && parts.length === 0) return readMessage(reply, origin);
        parts.push(part);
        if (!isPaused || parts.length === MAX_PARTS) return readMessage(joinedMessage(parts), origin);
        // The text so far is sent back unchanged, and the model continues from there.
        messages.push({ role: 'assistant', content: part.content as MessageParam['content'] });
      }
    }),
  );
}
