import OpenAI from 'openai';
import { type FetchOptions, providerFetch } from './provider-fetch.js';

export const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** The client insists on a key; servers without one ignore it. */
const PLACEHOLDER_KEY = 'no-key-needed';

/** The client's own timer off: the deadline is `guard`'s, and covers the body as well. */
const NO_CLIENT_TIMEOUT_MS = 2 ** 31 - 1;

/** Which server is asked, and on whose account. */
export interface OpenAIAccount {
  /** Absent: a placeholder is sent, which suits local servers. */
  apiKey?: string;
  /** Any OpenAI-compatible server, with its path, such as `http://127.0.0.1:8000/v1`. */
  baseUrl?: string;
  organization?: string;
  project?: string;
}

/** Keeps what a server says when it does not wrap it in `error`, as the client expects; vLLM and FastAPI do not. */
function fetchKeepingProblems(options: FetchOptions): typeof fetch {
  const ask = providerFetch(options);
  return async (input, init) => {
    const response = await ask(input, init);
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
}

/** A client without retries and deadlines of its own, which reads nothing from the process's environment. */
export function openaiClient(
  { apiKey, baseUrl, organization, project }: OpenAIAccount,
  options: FetchOptions,
): OpenAI {
  // Everything is given: what is left out, the client reads from the process's environment.
  return new OpenAI({
    apiKey: apiKey ?? PLACEHOLDER_KEY,
    adminAPIKey: null,
    baseURL: baseUrl ?? OPENAI_BASE_URL,
    organization: organization ?? null,
    project: project ?? null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: NO_CLIENT_TIMEOUT_MS,
    fetch: fetchKeepingProblems(options),
    logLevel: 'off',
  });
}
