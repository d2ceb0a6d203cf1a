import type { LanguageModel } from '../contracts/language-model.js';
import type { Notify } from './chat-messages.js';
import { errorInsideBody } from './classify-error.js';
import { dialectOf, inDialect, LearnedDialect } from './dialect.js';
import { type CloudProject, geminiClient, vertexClient } from './gemini-client.js';
import { readResponse, toConfig, toContents } from './gemini-wire.js';
import { guard, nameServer } from './guard.js';
import { forReplies, providerFetch } from './provider-fetch.js';

export interface GeminiOptions {
  /** Project of Google Cloud, in place of a key: then the models are asked by Vertex AI. */
  cloud?: CloudProject;
  model: string;
  apiKey: string;
  /** Milliseconds one request may take. */
  timeoutMs: number;
  /** Maximum megabytes of a reply. */
  maxReplyMb?: number;
  /** Base URL, with or without the API version at its end; `v1beta` by default. */
  baseUrl?: string;
  notify?: Notify;
}

/**
 * Creates a model behind Google's Gemini API (`POST /v1beta/models/{model}:generateContent`), or behind Vertex AI. One request per call,
 * except that a request with a refused field is repeated without it.
 */
export function geminiLanguageModel(options: GeminiOptions): LanguageModel {
  const { model, apiKey, cloud, notify } = options;
  const client =
    cloud === undefined ? geminiClient(apiKey, options.baseUrl) : vertexClient(cloud, options.baseUrl);
  const provider = cloud === undefined ? 'gemini' : 'vertex';
  const serverName = nameServer(provider, options.baseUrl);
  const ask = providerFetch(forReplies(provider, serverName, options.maxReplyMb));
  const origin = { provider, serverName, secrets: [apiKey] };
  const learned = new LearnedDialect(dialectOf('gemini'), { notify, secrets: [apiKey] });
  return guard({ ...origin, timeoutMs: options.timeoutMs }, (given, attempt) =>
    learned.ask(given, async (dialect) => {
      const request = { ...given, messages: inDialect(given.messages, dialect) };
      let problem: Error | undefined;
      const response = await client.models.generateContent({
        model,
        contents: toContents(request.messages, { model, tools: request.tools, images: request.images }),
        config: {
          ...toConfig(request, dialect),
          abortSignal: attempt.signal,
          httpOptions: {
            headers: {
              ...request.parameters.extra_headers,
              ...(attempt.idempotencyKey && { 'idempotency-key': attempt.idempotencyKey }),
            },
            extraBody: request.parameters.extra_body,
            // The client's errors drop the headers, and with them Retry-After; it also drops errors inside of replies.
            fetch: async (input: string | URL | Request, init?: RequestInit) => {
              const answer = await ask(input, init);
              attempt.response = { status: answer.status, headers: answer.headers };
              if (answer.ok) problem = errorInsideBody(await answer.clone().json(), origin);
              return answer;
            },
          },
        },
      });
      if (problem !== undefined) throw problem;
      return readResponse(response, origin);
    }),
  );
}
