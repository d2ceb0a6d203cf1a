import type { LanguageModel } from '../contracts/language-model.js';
import { geminiClient } from './gemini-client.js';
import { readResponse, toConfig, toContents } from './gemini-wire.js';
import { guard, nameServer } from './guard.js';
import { forReplies, providerFetch } from './provider-fetch.js';

export interface GeminiOptions {
  model: string;
  apiKey: string;
  /** Milliseconds one request may take. */
  timeoutMs: number;
  /** Megabytes a reply may have. */
  maxReplyMb?: number;
  /** With or without the API version at its end; `v1beta` without. */
  baseUrl?: string;
}

/** A model behind Google's Gemini API (`POST /v1beta/models/{model}:generateContent`). One request a call. */
export function geminiLanguageModel(options: GeminiOptions): LanguageModel {
  const { model, apiKey } = options;
  const client = geminiClient(apiKey, options.baseUrl);
  const serverName = nameServer('gemini', options.baseUrl);
  const ask = providerFetch(forReplies('gemini', serverName, options.maxReplyMb));
  return guard(
    { provider: 'gemini', serverName, timeoutMs: options.timeoutMs, secrets: [apiKey] },
    async (request, attempt) => {
      const response = await client.models.generateContent({
        model,
        contents: toContents(request.messages, model),
        config: {
          ...toConfig(request),
          abortSignal: attempt.signal,
          httpOptions: {
            ...(attempt.idempotencyKey && { headers: { 'idempotency-key': attempt.idempotencyKey } }),
            // The client's errors drop the headers, and with them Retry-After.
            fetch: async (input: string | URL | Request, init?: RequestInit) => {
              const answer = await ask(input, init);
              attempt.response = { status: answer.status, headers: answer.headers };
              return answer;
            },
          },
        },
      });
      return readResponse(response, request.call);
    },
  );
}
