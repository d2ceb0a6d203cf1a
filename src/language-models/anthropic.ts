import Anthropic from '@anthropic-ai/sdk';
import type { LanguageModel } from '../contracts/language-model.js';
import { withoutTrailing } from '../contracts/trailing.js';
import { readMessage, toWireRequest } from './anthropic-wire.js';
import { type Notice, onceEach } from './chat-messages.js';
import { errorInsideBody } from './classify-error.js';
import { guard, nameServer } from './guard.js';
import { forReplies, providerFetch } from './provider-fetch.js';

export const ANTHROPIC_BASE_URL = 'https://api.anthropic.com';

/** The last version of the API that takes a temperature; the client sends a later one. */
const VERSION_WITH_TEMPERATURE = '2023-06-01';

/** The client's own timer off: the deadline is `guard`'s, and covers the body as well. */
const NO_CLIENT_TIMEOUT_MS = 2 ** 31 - 1;

export interface AnthropicOptions {
  model: string;
  apiKey: string;
  /** Milliseconds one request may take. */
  timeoutMs: number;
  /** Megabytes a reply may have. */
  maxReplyMb?: number;
  /** With or without `/v1` at its end. */
  baseUrl?: string;
  notice?: Notice;
}

/** A model behind Anthropic's Messages API (`POST /v1/messages`). One request a call. */
export function anthropicLanguageModel(options: AnthropicOptions): LanguageModel {
  const { model, apiKey } = options;
  const baseURL = withoutTrailing(options.baseUrl ?? ANTHROPIC_BASE_URL, /\//).replace(/\/v1$/, '');
  const notice = onceEach(options.notice);
  const serverName = nameServer('anthropic', options.baseUrl);
  const client = new Anthropic({
    apiKey,
    baseURL,
    maxRetries: 0,
    timeout: NO_CLIENT_TIMEOUT_MS,
    fetch: providerFetch(forReplies('anthropic', serverName, options.maxReplyMb)),
    logLevel: 'off',
    openTelemetry: false,
    // The client sends the key as a bearer token; gateways built before that look for it here.
    ...(options.baseUrl !== undefined && { defaultHeaders: { 'x-api-key': apiKey } }),
  });
  const secrets = [apiKey];
  return guard(
    { provider: 'anthropic', serverName, timeoutMs: options.timeoutMs, secrets },
    async (request, attempt) => {
      const { body, needsOlderVersion } = toWireRequest(model, request, notice);
      // `messages.create` prints a warning a call for older models, and refuses long replies without streaming.
      const reply: unknown = await client.post('/v1/messages', {
        body,
        signal: attempt.signal,
        headers: {
          ...(attempt.idempotencyKey && { 'idempotency-key': attempt.idempotencyKey }),
          ...(needsOlderVersion && { 'anthropic-version': VERSION_WITH_TEMPERATURE }),
        },
      });
      const problem = errorInsideBody(reply, { provider: 'anthropic', serverName, secrets });
      if (problem !== undefined) throw problem;
      return readMessage(reply);
    },
  );
}
