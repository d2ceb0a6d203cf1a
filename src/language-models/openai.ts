import { ONLY_COMPATIBLE } from '../config/model-options.js';
import type { Provider } from '../config/providers.js';
import type { GenerateRequest, LanguageModel } from '../contracts/language-model.js';
import type { Notify } from './chat-messages.js';
import { type Dialect, dialectOf, holdsField, LearnedDialect } from './dialect.js';
import { guard, nameServer } from './guard.js';
import { OPENAI_BASE_URL, type OpenAIAccount, openaiClient } from './openai-client.js';
import { readWireReply, toWireRequest } from './openai-wire.js';
import { forReplies } from './provider-fetch.js';
import { isOpenAIsOwn } from './server-address.js';

export interface OpenAIOptions extends OpenAIAccount {
  /** Service behind the API, for messages; `openai` by default. */
  provider?: Provider;
  model: string;
  /** Milliseconds one request may take. */
  timeoutMs: number;
  /** Maximum megabytes of a reply. */
  maxReplyMb?: number;
  notify?: Notify;
}

/**
 * Reasoning models of OpenAI, which accept only the default temperature. `gpt-5-chat` is not one of them, and
 * `gpt-5.1` and its successors accept any where they do not reason; otherwise they refuse it.
 */
const REASONING_MODEL = /^(?:o\d|gpt-(?:5(?!\.)|[6-9]|\d\d)(?!.*-chat))/;

/**
 * Returns the dialect of the first request. api.openai.com has renamed `max_tokens`; most other servers know only the
 * old name.
 */
export function initialDialect(model: string, baseUrl: string): Dialect {
  const official = isOpenAIsOwn(baseUrl);
  return {
    ...dialectOf('openai'),
    ...(official && Object.fromEntries(ONLY_COMPATIBLE.map((name) => [name, false]))),
    tokenIds: !official,
    tokenField: official ? 'max_completion_tokens' : 'max_tokens',
    temperature: !(official && REASONING_MODEL.test(model)),
  };
}

/**
 * Creates a model behind `POST /chat/completions`: OpenAI itself, vLLM, Ollama, llama.cpp, gateways. One request per
 * call, except that a request with a refused field is repeated in the server's dialect.
 */
export function openaiLanguageModel(options: OpenAIOptions): LanguageModel {
  const { provider = 'openai', model, apiKey, baseUrl = OPENAI_BASE_URL, notify } = options;
  const serverName = nameServer(provider, options.baseUrl);
  const client = openaiClient(
    { ...options, isAzure: provider === 'azure' },
    forReplies(provider, serverName, options.maxReplyMb),
  );
  const secrets = apiKey === undefined ? [] : [apiKey];
  const learned = new LearnedDialect(initialDialect(model, baseUrl), { notify, secrets });
  return guard({ provider, serverName, timeoutMs: options.timeoutMs, secrets }, (request, attempt) =>
    learned.ask(
      request,
      async (dialect) => {
        const body: unknown = await client.chat.completions.create(toWireRequest(model, request, dialect), {
          signal: attempt.signal,
          headers: { ...request.parameters.extra_headers, 'idempotency-key': attempt.idempotencyKey ?? null },
        });
        return readWireReply(body, {
          provider,
          serverName,
          secrets,
          hasTools: (request.tools ?? []).length > 0,
        });
      },
      // A budget of -1, which the model decides itself, is not sent.
      (field) => holdsField(request, field) && (field !== 'thinking_budget' || hasEffort(request)),
    ),
  );
}

function hasEffort({ parameters }: GenerateRequest): boolean {
  return (parameters.thinking_budget ?? -1) >= 0;
}
