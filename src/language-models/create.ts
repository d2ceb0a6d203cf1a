import { checkFile, checkServer } from '../config/named-files.js';
import { isOptional, missingPackage } from '../config/optional-packages.js';
import type { LanguageModel } from '../contracts/language-model.js';
import { readingReplies } from '../replies/read-reply.js';
import type { Notify } from './chat-messages.js';
import { LanguageModelError } from './errors.js';
import { isFree } from './prices.js';
import type { OpenRecording } from './replay.js';
import { atServer } from './server-address.js';
import type { SimulationSettings } from './simulated.js';
import type { KnownAnswer } from './simulated-answers.js';
import { withUsage } from './usage.js';

export type ProviderName = 'gemini' | 'openai' | 'anthropic' | 'scripted' | 'replay' | 'simulated';

/** Part of a resolved config that selects the model. Sampling parameters come with each request. */
export interface LanguageModelSettings {
  provider: ProviderName;
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
  provider: ProviderName;
  modelName: string;
}

/** Environment variables that may hold a provider's key, the preferred one first. */
const KEY_VARIABLES: Partial<Record<ProviderName, readonly [string, ...string[]]>> = {
  gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
};

type Environment = LanguageModelDependencies['environment'];

export function findKey(provider: ProviderName, environment: Environment): string | undefined {
  for (const name of KEY_VARIABLES[provider] ?? []) {
    // Files and secret stores may add line ends, which are not allowed in a header.
    const value = environment[name]?.trim();
    if (value) return value;
  }
  return undefined;
}

/**
 * Returns a sentence that names the environment variable to set, or null if no key is missing. An OpenAI-compatible
 * server behind `base_url` needs no key; a key that is set is sent to it.
 */
export function missingCredentials(
  settings: Pick<LanguageModelSettings, 'provider' | 'base_url'> & { model?: string },
  environment: Environment,
): string | null {
  const { provider } = settings;
  const { base_url } = atServer(settings, environment);
  const names = KEY_VARIABLES[provider];
  if (names === undefined || findKey(provider, environment) !== undefined) return null;
  if (provider === 'openai' && base_url !== undefined) return null;
  return `provider ${provider} needs a key: set ${names.join(' or ')} in the environment of the worker`;
}

function required<T>(value: T | undefined, field: string, provider: ProviderName): T {
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
  const uninstalled = isOptional(provider) ? missingPackage(provider) : null;
  if (uninstalled !== null) throw new LanguageModelError('configuration', uninstalled, { provider });
  const model = await build(settings, dependencies);
  return { model: readingReplies(isFree(provider) ? model : billed(model)), provider, modelName };
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
  switch (provider) {
    case 'gemini': {
      const { geminiLanguageModel } = await import('./gemini.js');
      return geminiLanguageModel({ model, apiKey: apiKey ?? '', timeoutMs, maxReplyMb, baseUrl, notify });
    }
    case 'openai': {
      const { openaiLanguageModel } = await import('./openai.js');
      // Organisation and project belong to OpenAI's own service.
      const account = baseUrl === undefined && {
        organization: environment.OPENAI_ORG_ID,
        project: environment.OPENAI_PROJECT_ID,
      };
      return openaiLanguageModel({ model, apiKey, timeoutMs, maxReplyMb, baseUrl, notify, ...account });
    }
    case 'anthropic': {
      const { anthropicLanguageModel } = await import('./anthropic.js');
      return anthropicLanguageModel({ model, apiKey: apiKey ?? '', timeoutMs, maxReplyMb, baseUrl, notify });
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
