import { isMapping } from '../../../contracts/json.js';
import type { ImportNotes } from './notes.js';
import { namesFile, pathOf, readValue } from './promptfoo-files.js';

/** A provider of a config, as the `lm` of a run. */
export interface Model {
  /** Its label, or its id. */
  name: string;
  lm: Record<string, unknown>;
}

/** Providers that ask for chats alone, by promptfoo's name for each. */
const PROVIDERS: Readonly<Record<string, string>> = {
  openrouter: 'openrouter',
  deepseek: 'deepseek',
  groq: 'groq',
  mistral: 'mistral',
  togetherai: 'together',
  xai: 'xai',
  bedrock: 'bedrock',
};

/** Kinds of a provider that are no chats: agents, and models of anything else than texts. */
const NO_CHAT =
  /^(?:agentcore|agents?|assistant|chatkit|claude-(?:agent-sdk|code)|codex(?:-(?:sdk|app-server|desktop))?|embeddings?|foundry-agent|image|kb|live|moderation|nova-(?:reel|sonic)|realtime|speech|transcription|tts|video|voice)$/;

/** Returns `lm` for a provider's id, such as `openai:chat:gpt-4.1`; null: there is none. */
function modelOf(id: string): Record<string, unknown> | null {
  const [vendor = '', ...rest] = id.split(':');
  if (NO_CHAT.test(rest[0] ?? '')) return null;
  const after = (...kinds: string[]) => (kinds.includes(rest[0] ?? '') ? rest.slice(1) : rest).join(':');
  switch (vendor) {
    case 'openai': {
      const name = after('chat', 'responses', 'completion');
      return name === '' ? null : { model: `openai/${name}` };
    }
    case 'anthropic': {
      const name = after('messages', 'completion');
      return name === '' ? null : { model: `anthropic/${name}` };
    }
    case 'google':
    case 'vertex':
      return rest[0]?.startsWith('gemini')
        ? { model: `${vendor === 'vertex' ? vendor : 'gemini'}/${rest.join(':')}` }
        : null;
    case 'azure':
    case 'ollama': {
      const name = after('chat', 'responses', 'completion');
      return name === '' ? null : { model: `${vendor}/${name}` };
    }
    default: {
      const provider = PROVIDERS[vendor];
      const name = after('chat', 'completion', 'converse', 'responses');
      return provider === undefined || name === '' ? null : { model: `${provider}/${name}` };
    }
  }
}

/** Fields of a provider's `config` by the fields of `lm`. */
const FIELDS: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  max_output_tokens: 'max_output_tokens',
  maxOutputTokens: 'max_output_tokens',
  maxTokens: 'max_output_tokens',
  max_new_tokens: 'max_output_tokens',
  max_gen_len: 'max_output_tokens',
  num_predict: 'max_output_tokens',
  top_p: 'top_p',
  topP: 'top_p',
  top_k: 'top_k',
  topK: 'top_k',
  seed: 'seed',
  stop: 'stop',
  stopSequences: 'stop',
  frequency_penalty: 'frequency_penalty',
  presence_penalty: 'presence_penalty',
  reasoning_effort: 'reasoning_effort',
  effort: 'reasoning_effort',
  apiBaseUrl: 'base_url',
};
/** Fields of a provider's `config` that have further ones in them. */
const SECTIONS = ['generationConfig', 'inferenceConfig', 'reasoning'];
/** Keys are read from the environment. */
const OF_KEYS = /^apiKey/;

/** Reads the providers of a config, which newer versions call targets. */
export function readModels(config: Record<string, unknown>, folder: string, notes: ImportNotes): Model[] {
  const written = [config.providers ?? config.targets ?? []].flat();
  return written.flatMap((one) => {
    const entries =
      namesFile(one) && /\.(?:ya?ml|json)$/i.test(one) ? [readValue(pathOf(one, folder))].flat() : [one];
    return entries.flatMap((entry) => modelOfProvider(entry, notes) ?? []);
  });
}

/** Reads one provider; null, and a note, where it has no counterpart. @param what it is in notes */
export function modelOfProvider(written: unknown, notes: ImportNotes, what = 'provider'): Model | null {
  const { id, label, config = {}, ...others } = provider(written);
  const lm = modelOf(id);
  if (lm === null) {
    notes.add(`The ${what} ${id} is not carried over: Reprise reaches it, if at all, by lm.base_url`);
    return null;
  }
  for (const [name, value] of settingsOf(config)) {
    const field = FIELDS[name.split('.').at(-1) as string];
    const schema = name === 'response_format' ? schemaOf(value) : undefined;
    if (field !== undefined) lm[field] = value;
    else if (schema !== undefined) lm.response_format = schema;
    else if (!OF_KEYS.test(name)) notes.add(`The ${what} ${id} is carried over without config.${name}`);
  }
  for (const name of ['prompts', 'transform', 'delay'])
    if (name in others) notes.add(`The ${what} ${id} is carried over without its ${name}`);
  return { name: label ?? id, lm };
}

/** Returns the fields of a provider's `config`, those of sections with the section's name before theirs. */
function settingsOf(config: Record<string, unknown>): [string, unknown][] {
  return Object.entries(config).flatMap(([name, value]) =>
    SECTIONS.includes(name) && isMapping(value)
      ? Object.entries(value).map(([inner, one]): [string, unknown] => [`${name}.${inner}`, one])
      : [[name, value] as [string, unknown]],
  );
}

/** Returns the schema of a `response_format`; undefined where it has none, or names a file. */
function schemaOf(format: unknown): Record<string, unknown> | undefined {
  const { type, json_schema: named, schema } = isMapping(format) ? format : {};
  const found = isMapping(named) ? named.schema : schema;
  return type === 'json_schema' && isMapping(found) ? found : undefined;
}

interface Provider extends Record<string, unknown> {
  id: string;
  label?: string;
  config?: Record<string, unknown>;
}

/** Reads a provider: its id, a mapping with an id, or a mapping by its id. */
function provider(written: unknown): Provider {
  if (!isMapping(written)) return { id: typeof written === 'string' ? written : 'that is code' };
  if (typeof written.id === 'string') return written as Provider;
  const [id = 'without an id', options] = Object.entries(written)[0] ?? [];
  return { ...(isMapping(options) ? options : {}), id };
}
