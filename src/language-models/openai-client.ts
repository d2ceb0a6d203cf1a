import OpenAI from 'openai';
import { type FetchOptions, providerFetch } from './provider-fetch.js';

export const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** Placeholder, since the client requires a key; servers without keys ignore it. */
const PLACEHOLDER_KEY = 'no-key-needed';

/** Timeout that disables the client's own timer: `guard` has the deadline, which includes the body. */
const NO_CLIENT_TIMEOUT_MS = 2 ** 31 - 1;

/** Server, and the account there. */
export interface OpenAIAccount {
  /** Key; a placeholder by default, which suits local servers. */
  apiKey?: string;
  /** Base URL of any OpenAI-compatible server, such as `http://127.0.0.1:8000/v1`. */
  baseUrl?: string;
  organization?: string;
  project?: string;
  /** The server is Azure's, which older gateways before it know by another header of the key. */
  isAzure?: boolean;
}

/** Wraps error bodies in `error`, where the client expects them; vLLM and FastAPI send them bare. */
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
      // An HTML page or nothing is passed on unchanged.
    }
    return new Response(text, { status: response.status, headers: response.headers });
  };
}

/** Creates a client without retries and deadlines, which reads nothing from the process's environment. */
export function openaiClient(
  { apiKey, baseUrl, organization, project, isAzure }: OpenAIAccount,
  options: FetchOptions,
): OpenAI {
  // Every option is given, because the client reads missing ones from the process's environment.
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
    ...(isAzure === true && { defaultHeaders: { 'api-key': apiKey } }),
  });
}
