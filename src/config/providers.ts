/** APIs that a model is asked by over a network; each has an adapter in `language-models/`. */
export type Api = 'openai' | 'anthropic' | 'gemini' | 'bedrock';

/** Service that serves models over a network. */
interface Service {
  api: Api;
  /** Environment variables that may hold its key, the preferred one first; none: it needs no key. */
  keys: readonly string[];
  /** Environment variables that may name its address, those of the vendor's own client, the preferred one first. */
  addresses?: readonly string[];
  /** Its address; absent: the one that its client knows, or none. */
  address?: string;
  /** Environment variables of which one has to be set where no address is given, and what they hold. */
  needs?: { what: string; variables: readonly string[] };
  /** Provider whose prices are its own too. */
  pricedAs?: string;
}

/** Services by the provider's name in a config. */
export const SERVICES = {
  gemini: {
    api: 'gemini',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    addresses: ['GOOGLE_GEMINI_BASE_URL'],
  },
  openai: {
    api: 'openai',
    keys: ['OPENAI_API_KEY'],
    addresses: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
  },
  anthropic: { api: 'anthropic', keys: ['ANTHROPIC_API_KEY'], addresses: ['ANTHROPIC_BASE_URL'] },
  // https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
  azure: {
    api: 'openai',
    keys: ['AZURE_OPENAI_API_KEY'],
    addresses: ['AZURE_OPENAI_ENDPOINT'],
    needs: { what: 'the address of a resource', variables: ['AZURE_OPENAI_ENDPOINT'] },
  },
  // Google's and Amazon's clients find credentials of their own: files, roles, a signed-in user.
  vertex: {
    api: 'gemini',
    keys: [],
    addresses: ['GOOGLE_VERTEX_BASE_URL'],
    needs: { what: 'a project', variables: ['GOOGLE_CLOUD_PROJECT'] },
    pricedAs: 'gemini',
  },
  bedrock: { api: 'bedrock', keys: [], addresses: ['AWS_ENDPOINT_URL_BEDROCK_RUNTIME'] },
  openrouter: { api: 'openai', keys: ['OPENROUTER_API_KEY'], address: 'https://openrouter.ai/api/v1' },
  deepseek: { api: 'openai', keys: ['DEEPSEEK_API_KEY'], address: 'https://api.deepseek.com/v1' },
  fireworks: {
    api: 'openai',
    keys: ['FIREWORKS_API_KEY'],
    address: 'https://api.fireworks.ai/inference/v1',
  },
  groq: { api: 'openai', keys: ['GROQ_API_KEY'], address: 'https://api.groq.com/openai/v1' },
  mistral: { api: 'openai', keys: ['MISTRAL_API_KEY'], address: 'https://api.mistral.ai/v1' },
  together: { api: 'openai', keys: ['TOGETHER_API_KEY'], address: 'https://api.together.xyz/v1' },
  xai: { api: 'openai', keys: ['XAI_API_KEY'], address: 'https://api.x.ai/v1' },
  ollama: { api: 'openai', keys: [], address: 'http://127.0.0.1:11434/v1' },
  vllm: { api: 'openai', keys: [], address: 'http://127.0.0.1:8000/v1' },
} as const satisfies Record<string, Service>;

/** Providers that need no network and cost nothing. */
const OFFLINE = ['scripted', 'replay', 'simulated'] as const;

export type Provider = keyof typeof SERVICES | (typeof OFFLINE)[number];

export const PROVIDERS = [...Object.keys(SERVICES), ...OFFLINE] as unknown as readonly [
  Provider,
  ...Provider[],
];

/** Reports whether a provider's models need no network and cost nothing. */
export function isOffline(provider: string): boolean {
  return (OFFLINE as readonly string[]).includes(provider);
}

/** Returns the service of a provider; undefined for one without a network. */
export function serviceOf(provider: string): Service | undefined {
  return Object.hasOwn(SERVICES, provider) ? SERVICES[provider as keyof typeof SERVICES] : undefined;
}

/** Providers whose API turns texts into vectors. */
const EMBEDDING_PROVIDERS = (Object.keys(SERVICES) as (keyof typeof SERVICES)[]).filter(
  (provider) => provider === 'gemini' || SERVICES[provider].api === 'openai',
);

/** Reports whether a text names an embedding model, as `openai/NAME` or of another such provider. */
export function isEmbeddingModel(text: string): boolean {
  const [provider = '', name = ''] = text.split(/\/(.*)/s);
  return (EMBEDDING_PROVIDERS as readonly string[]).includes(provider) && name !== '';
}

/** Returns the API by which a provider's models are asked; undefined for one without a network. */
export function apiOf(provider: string): Api | undefined {
  return serviceOf(provider)?.api;
}
