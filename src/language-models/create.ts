import { checkFile, checkServer } from '../config/named-files.js';
import { isOptional, missingPackage } from '../config/optional-packages.js';
import { apiOf, isOffline, type Provider, serviceOf } from '../config/providers.js';
import type { LanguageModel } from '../contracts/language-model.js';
import { readingReplies } from '../replies/read-reply.js';
import type { Notify } from './chat-messages.js';
import { LanguageModelError } from './errors.js';
import type { OpenRecording } from './replay.js';
import { atServer } from './server-address.js';
import type { SimulationSettings } from './simulated.js';
import type { KnownAnswer } from './simulated-answers.js';
import { withUsage } from './usage.js';

/** Part of a resolved config that selects the model. Sampling parameters come with each request. */
export interface LanguageModelSettings {
  provider: Provider;
  /** Bare name, without the provider. */
  model: string;
  /** Seconds one request may take. */
  timeout_sec: number;
  /** Maximum megabytes of a reply, after unpacking; 4 by default. */
  max_reply_mb?: number;
  base_url?: string;
  /** Provider `scripted`: path of the YAML file of rules. */
  script?: string;
  /** Provider `replay`: path or address of a `calls.jsonl`. */
  recording?: string;
  simulation?: SimulationSettings;
}

export interface LanguageModelDependencies {
  /** Environment that holds the keys, `process.env` in a worker. No other environment is used. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Provider `simulated`: seed of its random draws; 0 by default. */
  seed?: number;
  /** Provider `simulated`: returns the answers it may give. */
  answerFor?: (sampleId: string) => KnownAnswer | undefined;
  /** Provider `replay`: opens a recording that is no local file. */
  openRecording?: OpenRecording;
  /** Gets a sentence, once, about each parameter that cannot be sent as requested. */
  notify?: Notify;
}

export interface CreatedLanguageModel {
  model: LanguageModel;
  provider: Provider;
  modelName: string;
}

type Environment = LanguageModelDependencies['environment'];

/** Returns the first of these variables that is set. */
function firstOf(names: readonly string[], environment: Environment): string | undefined {
  for (const name of names) {
    // Files and secret stores may add line ends, which are not allowed in a header.
    const value = environment[name]?.trim();
    if (value) return value;
  }
  return undefined;
}

export function findKey(provider: Provider, environment: Environment): string | undefined {
  return firstOf(serviceOf(provider)?.keys ?? [], environment);
}

/**
 * Returns a sentence that names the environment variable to set, or null if nothing is missing. An OpenAI-compatible
 * server behind `base_url` needs no key; a key that is set is sent to it.
 */
export function missingCredentials(
  settings: Pick<LanguageModelSettings, 'provider' | 'base_url'> & { model?: string },
  environment: Environment,
): string | null {
  const { provider } = settings;
  const { base_url } = atServer(settings, environment);
  const { keys = [], needs } = serviceOf(provider) ?? {};
  const set = (names: readonly string[]) => `set ${names.join(' or ')} in the environment of the worker`;
  if (needs !== undefined && base_url === undefined && firstOf(needs.variables, environment) === undefined)
    return `provider ${provider} needs ${needs.what}: ${set(needs.variables)}, or give lm.base_url`;
  if (keys.length === 0 || findKey(provider, environment) !== undefined) return null;
  if (provider === 'openai' && base_url !== undefined) return null;
  return `provider ${provider} needs a key: ${set(keys)}`;
}

function required<T>(value: T | undefined, field: string, provider: Provider): T {
  if (value !== undefined) return value;
  throw new LanguageModelError('configuration', `provider ${provider} needs lm.${field}`, { provider });
}

/**
 * Builds the model that a config names. A vendor's client is loaded only for its provider: each takes tens of
 * megabytes.
 * @throws LanguageModelError (`authentication`) if the key is missing, (`configuration`) if a file or
 * the client's package is;
 * NotPermittedError if the server or the file may not be named.
 */
export async function createLanguageModel(
  given: LanguageModelSettings,
  dependencies: LanguageModelDependencies,
): Promise<CreatedLanguageModel> {
  const { provider, model: modelName, base_url, script } = given;
  // The worker's own environment may name any server; a model that is named by its path has a local one.
  const ownServer = atServer({ ...given, base_url: undefined }, dependencies.environment).base_url;
  if (base_url !== ownServer) checkServer('lm.base_url', base_url);
  const settings = atServer(given, dependencies.environment);
  if (script !== undefined) checkFile('lm.script', script);
  const missing = missingCredentials(settings, dependencies.environment);
  if (missing !== null) throw new LanguageModelError('authentication', missing, { provider });
  const uninstalled = missingClient(provider);
  if (uninstalled !== null) throw new LanguageModelError('configuration', uninstalled, { provider });
  const model = await build(settings, dependencies);
  return { model: readingReplies(isOffline(provider) ? model : billed(model)), provider, modelName };
}

/** Returns a sentence that says what to install for a provider's client; null where nothing is missing. */
export function missingClient(provider: string): string | null {
  const api = apiOf(provider);
  return api !== undefined && isOptional(api) ? missingPackage(api, `the provider ${provider}`) : null;
}

/** Wraps a model with billed calls, so that each of its replies has a usage. */
function billed(model: LanguageModel): LanguageModel {
  return {
    generate: async (request, options) => withUsage(request, await model.generate(request, options)),
  };
}

async function build(
  settings: LanguageModelSettings,
  dependencies: LanguageModelDependencies,
): Promise<LanguageModel> {
  const { provider, model, base_url: baseUrl } = settings;
  const { environment, notify } = dependencies;
  const timeoutMs = settings.timeout_sec * 1000;
  const maxReplyMb = settings.max_reply_mb;
  const apiKey = findKey(provider, environment);
  const asked = { provider, model, apiKey, timeoutMs, maxReplyMb, baseUrl, notify };
  switch (apiOf(provider) ?? (provider as 'scripted' | 'replay' | 'simulated')) {
    case 'gemini': {
      const { geminiLanguageModel } = await import('./gemini.js');
      const cloud =
        provider === 'vertex'
          ? {
              project: environment.GOOGLE_CLOUD_PROJECT ?? '',
              location: environment.GOOGLE_CLOUD_LOCATION ?? 'global',
            }
          : undefined;
      return geminiLanguageModel({ ...asked, apiKey: apiKey ?? '', cloud });
    }
    case 'openai': {
      const { openaiLanguageModel } = await import('./openai.js');
      // Organisation and project belong to OpenAI's own service.
      const account = baseUrl === undefined && {
        organization: environment.OPENAI_ORG_ID,
        project: environment.OPENAI_PROJECT_ID,
      };
      return openaiLanguageModel({ ...asked, ...account });
    }
    case 'anthropic': {
      const { anthropicLanguageModel } = await import('./anthropic.js');
      return anthropicLanguageModel({ ...asked, apiKey: apiKey ?? '' });
    }
    case 'bedrock': {
      const { bedrockLanguageModel } = await import('./bedrock.js');
      return bedrockLanguageModel({
        ...asked,
        apiKey: firstOf(['AWS_BEARER_TOKEN_BEDROCK'], environment),
        region: firstOf(['AWS_REGION', 'AWS_DEFAULT_REGION'], environment),
      });
    }
    case 'scripted': {
      const { scriptedLanguageModel } = await import('./scripted.js');
      return await scriptedLanguageModel({
        script: required(settings.script, 'script', provider),
        timeoutMs,
      });
    }
    case 'replay': {
      const { replayLanguageModel } = await import('./replay.js');
      const recording = required(settings.recording, 'recording', provider);
      return replayLanguageModel({ recording, timeoutMs, openRecording: dependencies.openRecording });
    }
    case 'simulated': {
      const { simulatedLanguageModel } = await import('./simulated.js');
      const { simulation } = settings;
      const { seed, answerFor } = dependencies;
      return simulatedLanguageModel({ simulation, seed, answerFor, timeoutMs });
    }
  }
}
