import { isModelPath } from '../config/language-model-schema.js';
import { LanguageModelError } from './errors.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Environment variables that the vendors' own clients read, the preferred one first. */
const SERVER_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  gemini: ['GOOGLE_GEMINI_BASE_URL'],
  openai: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
  anthropic: ['ANTHROPIC_BASE_URL'],
};

/** Returns the server that the environment names for a provider, and the variable; null if there is none. */
export function serverInEnvironment(
  provider: string,
  environment: Environment,
): { variable: string; address: string } | null {
  for (const variable of SERVER_VARIABLES[provider] ?? []) {
    const address = environment[variable]?.trim();
    if (address) return { variable, address };
  }
  return null;
}

/** Reports whether an address is OpenAI's own (the default), and not that of a compatible server. */
export function isOpenAIsOwn(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || new URL(baseUrl).hostname.endsWith('api.openai.com');
}

/** Default address at which vLLM and others serve a model. */
const OWN_SERVER = 'http://127.0.0.1:8000/v1';

/**
 * Returns the settings of a model with its server: the config's, else that of the worker's environment, which its owner
 * controls. A model that is named by its path is on a local server.
 * @throws LanguageModelError (`configuration`) if the environment's server is no address.
 */
export function atServer<
  Settings extends { provider: string; model?: string | undefined; base_url?: string | undefined },
>(settings: Settings, environment: Environment): Settings {
  if (settings.base_url !== undefined) return settings;
  const { provider, model = '' } = settings;
  const named = serverInEnvironment(provider, environment);
  if (named === null)
    return provider === 'openai' && isModelPath(model) ? { ...settings, base_url: OWN_SERVER } : settings;
  if (!URL.canParse(named.address) || !/^https?:/i.test(named.address)) {
    const message = `${named.variable} is no address; write https://host/path, or leave it out`;
    throw new LanguageModelError('configuration', message, { provider });
  }
  return { ...settings, base_url: named.address };
}
