import { GoogleGenAI } from '@google/genai';
import type { LanguageModel } from '../contracts/language-model.js';
import { readResponse, toConfig, toContents } from './gemini-wire.js';
import { guard, nameServer } from './guard.js';
import { providerFetch } from './provider-fetch.js';

export const GEMINI_BASE_URL = 'https://generativelanguage.googleapis.com';

export interface GeminiOptions {
  model: string;
  apiKey: string;
  /** Milliseconds one request may take. */
  timeoutMs: number;
  /** With or without the API version at its end; `v1beta` without. */
  baseUrl?: string;
}

/** Takes the API version off the end of an address, where the client would put another one behind it. */
function splitVersion(baseUrl: string): { baseUrl: string; apiVersion: string } {
  const match = /^(.*?)\/(v\d+(?:(?:alpha|beta)\d*)?)\/*$/.exec(baseUrl);
  return { baseUrl: match?.[1] ?? baseUrl, apiVersion: match?.[2] ?? 'v1beta' };
}

/** A model behind Google's Gemini API (`POST /v1beta/models/{model}:generateContent`). One request a call. */
export function geminiLanguageModel(options: GeminiOptions): LanguageModel {
  const { model, apiKey } = options;
  const { baseUrl, apiVersion } = splitVersion(options.baseUrl ?? GEMINI_BASE_URL);
  // Everything is given: what is left out, the client reads from the process's environment, Vertex AI included.
  const client = new GoogleGenAI({ vertexai: false, apiKey, apiVersion, httpOptions: { baseUrl } });
  const serverName = nameServer('gemini', options.baseUrl);
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
              const answer = await providerFetch(input, init);
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
