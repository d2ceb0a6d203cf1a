import type { GenerateRequest, LanguageModel } from '../contracts/language-model.js';
import type { Notice } from './chat-messages.js';
import { COMMON_DIALECT, type Dialect, holdsField, LearnedDialect } from './dialect.js';
import { guard, nameServer } from './guard.js';
import { OPENAI_BASE_URL, type OpenAIAccount, openaiClient } from './openai-client.js';
import { readWireReply, toWireRequest } from './openai-wire.js';
import { forReplies } from './provider-fetch.js';

export interface OpenAIOptions extends OpenAIAccount {
  model: string;
  /** Milliseconds one request may take. */
  timeoutMs: number;
  /** Megabytes a reply may have. */
  maxReplyMb?: number;
  notice?: Notice;
}

/** Reasoning models of OpenAI: they take no temperature but the default. `gpt-5-chat` is not one of them. */
const REASONING_MODEL = /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat))/;

/** The first guess. api.openai.com has renamed `max_tokens`; most other servers know only the old name. */
export function initialDialect(model: string, baseUrl: string): Dialect {
  const official = new URL(baseUrl).hostname.endsWith('api.openai.com');
  return {
    ...COMMON_DIALECT,
    tokenIds: !official,
    tokenField: official ? 'max_completion_tokens' : 'max_tokens',
    temperature: !(official && REASONING_MODEL.test(model)),
  };
}

/**
 * A model behind `POST /chat/completions`: OpenAI itself, vLLM, Ollama, llama.cpp, gateways.
 * One request a call, except that a server which refuses a field is asked again in its own dialect.
 */
export function openaiLanguageModel(options: OpenAIOptions): LanguageModel {
  const { model, apiKey, baseUrl = OPENAI_BASE_URL, notice } = options;
  const provider = 'openai';
  const serverName = nameServer(provider, options.baseUrl);
  const client = openaiClient(options, forReplies(provider, serverName, options.maxReplyMb));
  const secrets = apiKey === undefined ? [] : [apiKey];
  const learned = new LearnedDialect(initialDialect(model, baseUrl), { notice, secrets });
  return guard({ provider, serverName, timeoutMs: options.timeoutMs, secrets }, (request, attempt) =>
    learned.ask(
      request,
      async (dialect) => {
        const body: unknown = await client.chat.completions.create(toWireRequest(model, request, dialect), {
          signal: attempt.signal,
          headers: { 'idempotency-key': attempt.idempotencyKey ?? null },
        });
        return readWireReply(body, { serverName, secrets });
      },
      // A budget that the model is to decide itself is not sent.
      (field) => holdsField(request, field) && (field !== 'thinking' || hasEffort(request)),
    ),
  );
}

function hasEffort({ parameters }: GenerateRequest): boolean {
  return (parameters.thinking_budget ?? -1) >= 0;
}
