import OpenAI from 'openai';
import type { GenerateReply, GenerateRequest, LanguageModel } from '../contracts/language-model.js';
import { type Notice, onceEach } from './chat-messages.js';
import { errorInsideBody } from './classify-error.js';
import { type Attempt, guard, nameServer } from './guard.js';
import { adaptDialect, type Dialect, initialDialect } from './openai-dialect.js';
import { readWireReply, toWireRequest } from './openai-wire.js';
import { providerFetch } from './provider-fetch.js';

export const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** The client insists on a key; servers without one ignore it. */
const PLACEHOLDER_KEY = 'no-key-needed';

/** The client's own timer off: the deadline is `guard`'s, and covers the body as well. */
const NO_CLIENT_TIMEOUT_MS = 2 ** 31 - 1;

export interface OpenAIOptions {
  model: string;
  /** Milliseconds one request may take. */
  timeoutMs: number;
  /** Absent: a placeholder is sent, which suits local servers. */
  apiKey?: string;
  /** Any OpenAI-compatible server, with its path, such as `http://127.0.0.1:8000/v1`. */
  baseUrl?: string;
  organization?: string;
  project?: string;
  notice?: Notice;
}

/** Keeps what a server says when it does not wrap it in `error`, as the client expects; vLLM and FastAPI do not. */
const fetchKeepingProblems: typeof fetch = async (input, init) => {
  const response = await providerFetch(input, init);
  if (response.ok) return response;
  let text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !('error' in body))
      text = JSON.stringify({ error: body });
  } catch {
    // An HTML page or nothing: handed on as it is.
  }
  return new Response(text, { status: response.status, headers: response.headers });
};

/**
 * A model behind `POST /chat/completions`: OpenAI itself, vLLM, Ollama, llama.cpp, gateways.
 * One request a call, except that a server which refuses a parameter's name is asked again in its own dialect.
 */
export function openaiLanguageModel(options: OpenAIOptions): LanguageModel {
  const { model, apiKey, baseUrl = OPENAI_BASE_URL } = options;
  const provider = 'openai';
  const notice = onceEach(options.notice);
  // Everything is given: what is left out, the client reads from the process's environment.
  const client = new OpenAI({
    apiKey: apiKey ?? PLACEHOLDER_KEY,
    adminAPIKey: null,
    baseURL: baseUrl,
    organization: options.organization ?? null,
    project: options.project ?? null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: NO_CLIENT_TIMEOUT_MS,
    fetch: fetchKeepingProblems,
    logLevel: 'off',
  });
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
  const serverName = nameServer(provider, options.baseUrl);
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
