import type { GenerateReply, GenerateRequest, LanguageModel } from '../contracts/language-model.js';
import { type Notice, onceEach } from './chat-messages.js';
import { errorInsideBody } from './classify-error.js';
import { type Attempt, guard, nameServer } from './guard.js';
import { OPENAI_BASE_URL, type OpenAIAccount, openaiClient } from './openai-client.js';
import { adaptDialect, type Dialect, initialDialect } from './openai-dialect.js';
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

/**
 * A model behind `POST /chat/completions`: OpenAI itself, vLLM, Ollama, llama.cpp, gateways.
 * One request a call, except that a server which refuses a parameter's name is asked again in its own dialect.
 */
export function openaiLanguageModel(options: OpenAIOptions): LanguageModel {
  const { model, apiKey, baseUrl = OPENAI_BASE_URL } = options;
  const provider = 'openai';
  const notice = onceEach(options.notice);
  const serverName = nameServer(provider, options.baseUrl);
  const client = openaiClient(options, forReplies(provider, serverName, options.maxReplyMb));
  let dialect = initialDialect(model, baseUrl);

  async function ask(request: GenerateRequest, attempt: Attempt): Promise<unknown> {
    const tried: Dialect[] = [];
    for (let used = dialect; ; used = dialect) {
      tried.push(used);
      try {
        return await client.chat.completions.create(toWireRequest(model, request, used), {
          signal: attempt.signal,
          headers: { 'idempotency-key': attempt.idempotencyKey ?? null },
        });
      } catch (error) {
        const adapted = adaptDialect(used, error, tried, notice);
        if (adapted === undefined) throw error;
        dialect = adapted;
      }
    }
  }

  const secrets = apiKey === undefined ? [] : [apiKey];
  return guard(
    { provider, serverName, timeoutMs: options.timeoutMs, secrets },
    async (request, attempt): Promise<GenerateReply> => {
      const body = await ask(request, attempt);
      const problem = errorInsideBody(body, { provider, serverName, secrets });
      if (problem !== undefined) throw problem;
      return readWireReply(body, request.call, serverName);
    },
  );
}
