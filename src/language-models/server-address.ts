import { isModelPath } from '../config/language-model-schema.js';
import { SERVICES, serviceOf } from '../config/providers.js';
import { LanguageModelError } from './errors.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the server that the environment names for a provider, and the variable; null if there is none. */
export function serverInEnvironment(
  provider: string,
  environment: Environment,
): { variable: string; address: string } | null {
  for (const variable of serviceOf(provider)?.addresses ?? []) {
    const address = environment[variable]?.trim();
    if (address) return { variable, address };
  }
  return null;
}

/** Reports whether an address is OpenAI's own (the default), and not that of a compatible server. */
export function isOpenAIsOwn(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || new URL(baseUrl).hostname.endsWith('api.openai.com');
}

/** Path of an Azure resource below which it speaks as OpenAI does. */
const AZURE_PATH = '/openai/v1';

/**
 * Returns the settings of a model with its server: the config's, else that of the worker's environment, which its owner
 * controls, else the service's own. A model that is named by its path is on a local server.
 * @throws LanguageModelError (`configuration`) if the environment's server is no address.
 */
export function atServer<
  Settings extends { provider: string; model?: string | undefined; base_url?: string | undefined },
>(settings: Settings, environment: Environment): Settings {
  const base_url = addressOf(settings, environment);
  return base_url === settings.base_url ? settings : { ...settings, base_url };
}

function addressOf(
  { provider, model = '', base_url }: { provider: string; model?: string; base_url?: string },
  environment: Environment,
): string | undefined {
  const given = base_url ?? addressIn(provider, environment);
  if (given === undefined)
    return provider === 'openai' && isModelPath(model) ? SERVICES.vllm.address : serviceOf(provider)?.address;
  return provider === 'azure' && new URL(given).pathname === '/' ? new URL(AZURE_PATH, given).href : given;
}

/** Returns the address that the environment names. @throws LanguageModelError (`configuration`) if it is none. */
function addressIn(provider: string, environment: Environment): string | undefined {
  const named = serverInEnvironment(provider, environment);
  if (named === null) return undefined;
  if (!URL.canParse(named.address) || !/^https?:/i.test(named.address)) {
    const message = `${named.variable} is no address; write https://host/path, or leave it out`;
    throw new LanguageModelError('configuration', message, { provider });
  }
  return named.address;
}
