import { checkServer } from '../../config/named-files.js';
import { apiOf, type Provider } from '../../config/providers.js';
import type { Embedder } from '../../contracts/embeddings.js';
import { findKey, type LanguageModelDependencies, missingCredentials } from '../create.js';
import { LanguageModelError } from '../errors.js';
import { atServer } from '../server-address.js';
import { DEFAULT_TEXT_BYTES } from './batched-embedder.js';

/** Part of a resolved config that selects the embedding model. */
export interface EmbedderSettings {
  /** One that turns texts into vectors. */
  provider: Provider;
  /** Bare name, without the provider. */
  model: string;
  /** Seconds one request may take. */
  timeout_sec: number;
  base_url?: string;
  /** Length of the vectors, for models that can shorten them; the model's own by default. */
  dimensions?: number;
  /** Bytes of a text (UTF-8) that the model gets; 8,000 by default. */
  max_text_bytes?: number;
  /** Texts per request; by default 100 with Gemini and 512 with OpenAI. */
  texts_per_request?: number;
}

/** Hosts of the vendors' own servers, left out of an identity. */
const OWN_HOSTS: Readonly<Partial<Record<Provider, string>>> = {
  gemini: 'generativelanguage.googleapis.com',
  openai: 'api.openai.com',
};

/**
 * Returns a name for everything that a vector depends on besides its text: the model, its server (two may use one name
 * for different models), the length of its vectors, and the bytes of a text that are sent.
 */
export function embedderIdentity(settings: EmbedderSettings): string {
  const { provider, model, base_url, dimensions, max_text_bytes = DEFAULT_TEXT_BYTES } = settings;
  const host = base_url === undefined ? OWN_HOSTS[provider] : new URL(base_url).host;
  return [
    `${provider}/${model}`,
    ...(host === OWN_HOSTS[provider] ? [] : [`at ${host}`]),
    ...(dimensions === undefined ? [] : [`dimensions=${dimensions}`]),
    `bytes=${max_text_bytes}`,
  ].join(' ');
}

/**
 * Builds the embedding model that a config names. A vendor's client is loaded only for its provider.
 * @throws LanguageModelError (`authentication`) if the key is missing.
 */
export async function createEmbedder(
  given: EmbedderSettings,
  { environment }: Pick<LanguageModelDependencies, 'environment'>,
): Promise<Embedder> {
  const ownServer = atServer({ ...given, base_url: undefined }, environment).base_url;
  if (given.base_url !== ownServer) checkServer('memory.retrieval.base_url', given.base_url);
  const settings = atServer(given, environment);
  const { provider, base_url: baseUrl } = settings;
  const missing = missingCredentials(settings, environment);
  if (missing !== null) throw new LanguageModelError('authentication', missing, { provider });
  const apiKey = findKey(provider, environment);
  const common = {
    provider,
    identity: embedderIdentity(settings),
    model: settings.model,
    timeoutMs: settings.timeout_sec * 1000,
    baseUrl,
    dimensions: settings.dimensions,
    maximumTextBytes: settings.max_text_bytes,
    textsPerRequest: settings.texts_per_request,
  };
  if (apiOf(provider) === 'gemini') {
    const { geminiEmbedder } = await import('./gemini.js');
    return geminiEmbedder({ ...common, apiKey: apiKey ?? '' });
  }
  const { openaiEmbedder } = await import('./openai.js');
  // Organisation and project belong to OpenAI's own service.
  const account = baseUrl === undefined && {
    organization: environment.OPENAI_ORG_ID,
    project: environment.OPENAI_PROJECT_ID,
  };
  return openaiEmbedder({ ...common, apiKey, ...account });
}
