import { z } from 'zod';
import type { GenerateParameters } from '../contracts/language-model.js';
import { type Api, apiOf } from './providers.js';

/** Model as a config names it, with its options. */
interface Asked
  extends Omit<GenerateParameters, 'temperature' | 'thinking_budget' | 'response_format' | 'extra_body'> {
  provider: string;
  temperature: number | null;
  thinking_budget: number | null;
  response_format?: unknown;
  extra_body?: unknown;
}

interface Option {
  field: z.ZodType;
  /**
   * Names in each API's requests; without any, the API has no such option. A name by itself is sent with the option's
   * value (of Gemini, in `generationConfig`; of Bedrock, in `inferenceConfig`); the names in a list are filled by the
   * API's `…-wire.ts`.
   */
  wire: Readonly<Partial<Record<Api, string | readonly string[]>>>;
  /** OpenAI's own server has no such option, but OpenAI-compatible ones do. */
  onlyCompatible?: true;
  /**
   * Names in messages of servers, in linear time: a request that is refused because of them is sent without the option.
   * Without them the refusal is the call's error, since the reply would be another one.
   */
  refusedAs?: RegExp;
  /** Returns what a provider does not know about the option's value; null if it knows it. */
  problem?(asked: Asked): string | null;
}

/** Efforts that the vendors name, the least first. */
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const EFFORTS_OF: Readonly<Partial<Record<Api, readonly string[]>>> = {
  anthropic: ['low', 'medium', 'high', 'xhigh', 'max'],
  bedrock: ['low', 'medium', 'high', 'xhigh', 'max'],
  gemini: ['minimal', 'low', 'medium', 'high'],
};

/** The first two are parts of models' names, too. */
const THINKING =
  /(?:\bnon-|(?<![-\w]))(?:reasoning|thinking)\b(?!-\d)|\breasoning_?effort\b|\bthinking_?(?:budget|level|config)\b|\bbudget_tokens\b|\boutput_config\b(?!\.?format)|\beffort\b|^budget \d/i;
/** Gemini names neither of the two penalties. */
const PENALTY = '|^penalty\\b';

const penalty = z.number().min(-2).max(2).optional();

/**
 * Parameters of a call, a row each: the field of a config, its names in requests, and the words by which a refusal of it
 * is recognised. What Reprise reads, sends, records and leaves out is made of this table. A message of a server is
 * searched for the rows in their order.
 */
const MODEL_OPTIONS = {
  temperature: {
    field: z
      .number()
      .min(0)
      .max(2)
      .nullable()
      .default(0.2)
      .describe('null: the field is left out, for models that take none.'),
    wire: {
      openai: 'temperature',
      anthropic: ['temperature'],
      gemini: 'temperature',
      bedrock: ['inferenceConfig.temperature'],
    },
    refusedAs: /\btemperature\b/i,
  },
  top_p: {
    field: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Samples from the likeliest tokens with this probability.'),
    wire: { openai: 'top_p', anthropic: ['top_p'], gemini: 'topP', bedrock: ['inferenceConfig.topP'] },
    refusedAs: /\btop_?p\b/i,
    problem: ({ provider, temperature }) =>
      apiOf(provider) === 'anthropic' && temperature !== null
        ? "Anthropic's API takes one of temperature and top_p: write temperature: null beside it"
        : null,
  },
  top_k: {
    field: z.int().positive().optional().describe('Samples from so many of the likeliest tokens.'),
    wire: { openai: 'top_k', anthropic: ['top_k'], gemini: 'topK', bedrock: ['top_k'] },
    onlyCompatible: true,
    refusedAs: /\btop_?k\b/i,
  },
  max_output_tokens: {
    field: z.int().positive().default(2048),
    wire: {
      openai: ['max_tokens', 'max_completion_tokens'],
      anthropic: ['max_tokens'],
      gemini: 'maxOutputTokens',
      bedrock: ['inferenceConfig.maxTokens'],
    },
  },
  stop: {
    field: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .transform((stop) => (typeof stop === 'string' ? [stop] : stop))
      .optional()
      .describe('Texts before which a reply ends.'),
    wire: {
      openai: 'stop',
      anthropic: 'stop_sequences',
      gemini: 'stopSequences',
      bedrock: ['inferenceConfig.stopSequences'],
    },
    problem: ({ provider, stop = [] }) => {
      if (apiOf(provider) === 'gemini' && stop.length > 5)
        return `Gemini's API takes at most 5, and these are ${stop.length}`;
      return apiOf(provider) === 'anthropic' && stop.some((text) => text.trim() === '')
        ? "Anthropic's API takes no text of white space alone; leave it out"
        : null;
    },
  },
  seed: {
    field: z
      .int()
      .optional()
      .describe("Seed of the model's own sampling; the experiment's is another, at the top."),
    wire: { openai: 'seed', gemini: 'seed' },
    refusedAs: /\bseed\b/i,
    problem: ({ provider, seed = 0 }) =>
      apiOf(provider) === 'gemini' && (seed | 0) !== seed
        ? "Gemini's API takes one of 32 bits, at most 2147483647"
        : null,
  },
  frequency_penalty: {
    field: penalty.describe('Makes tokens less likely, the more often they have occurred.'),
    wire: { openai: 'frequency_penalty', gemini: 'frequencyPenalty' },
    refusedAs: new RegExp(`\\bfrequency_?penalty\\b${PENALTY}`, 'i'),
  },
  presence_penalty: {
    field: penalty.describe('Makes tokens less likely that have occurred.'),
    wire: { openai: 'presence_penalty', gemini: 'presencePenalty' },
    refusedAs: new RegExp(`\\bpresence_?penalty\\b${PENALTY}`, 'i'),
  },
  thinking_budget: {
    field: z.int().min(-1).nullable().default(null).describe('Tokens; 0 off, -1 the model decides.'),
    // OpenAI, and later models of Anthropic, are sent an effort for it.
    wire: {
      openai: [],
      anthropic: ['thinking.budget_tokens'],
      gemini: ['thinkingConfig.thinkingBudget'],
      bedrock: ['thinking.budget_tokens'],
    },
    refusedAs: THINKING,
  },
  reasoning_effort: {
    field: z
      .enum(EFFORTS)
      .optional()
      .describe('How much the model thinks, in words; in place of thinking_budget.'),
    wire: {
      openai: 'reasoning_effort',
      anthropic: ['output_config.effort'],
      gemini: ['thinkingConfig.thinkingLevel'],
      bedrock: ['output_config.effort'],
    },
    refusedAs: THINKING,
    problem: ({ provider, reasoning_effort = 'none', thinking_budget }) => {
      if (thinking_budget !== null) return 'give one of thinking_budget and reasoning_effort, not both';
      const api = apiOf(provider);
      const known = api && EFFORTS_OF[api];
      if (known === undefined || known.includes(reasoning_effort)) return null;
      const off = reasoning_effort === 'none' ? '; thinking_budget: 0 turns thinking off' : '';
      return `the provider ${provider} knows the efforts ${known.join(', ')}${off}`;
    },
  },
  logprobs: {
    field: z
      .int()
      .min(0)
      .max(20)
      .optional()
      .describe('Record the log probability of each token, and of so many likeliest ones in its place.'),
    wire: { openai: ['logprobs', 'top_logprobs'], gemini: ['responseLogprobs', 'logprobs'] },
    refusedAs: /\blog_?probs\b|\btop_?log_?probs\b|\bresponse_?log_?probs\b/i,
  },
  response_format: {
    field: z
      .union([z.string().min(1), z.record(z.string(), z.unknown())])
      .optional()
      .describe('JSON Schema that replies keep to, or a file that holds it.'),
    wire: {
      openai: ['response_format'],
      anthropic: ['output_config.format'],
      gemini: ['responseMimeType', 'responseJsonSchema', 'responseSchema'],
      bedrock: ['output_config.format'],
    },
  },
  extra_body: {
    field: z
      .record(z.string().min(1), z.unknown())
      .optional()
      .describe("Further fields of the request's body, as the provider names them."),
    wire: { openai: [], anthropic: [], gemini: [], bedrock: [] },
  },
  extra_headers: {
    field: z
      .record(z.string().min(1), z.string())
      .optional()
      .describe('Further headers of the request; never a key or token.'),
    wire: { openai: [], anthropic: [], gemini: [], bedrock: [] },
  },
} satisfies Record<keyof GenerateParameters, Option>;

type Options = typeof MODEL_OPTIONS;
export type OptionName = keyof Options;

/** Options that a request is sent without, where a server refuses them. */
export type AdaptableOption = {
  [Name in OptionName]: Options[Name] extends { refusedAs: RegExp } ? Name : never;
}[OptionName];

/** Rows of the table, in their order. */
export const OPTION_ROWS = Object.entries(MODEL_OPTIONS) as readonly (readonly [OptionName, Option])[];

/** Options of OpenAI-compatible servers that OpenAI's own does not have. */
export const ONLY_COMPATIBLE = OPTION_ROWS.filter(([, row]) => row.onlyCompatible).map(([name]) => name);

/** Fields of a model's section, for its schema. */
export const OPTION_FIELDS = Object.fromEntries(OPTION_ROWS.map(([name, { field }]) => [name, field])) as {
  [Name in OptionName]: Options[Name]['field'];
};

const APIS: Readonly<Record<Api, string>> = {
  openai: "OpenAI's API",
  anthropic: "Anthropic's API",
  gemini: "Gemini's API",
  bedrock: "Bedrock's API",
};

/** Returns the options of a model that its provider does not know, or not with these values, and what to do. */
export function unknownOptions(asked: Asked): { path: OptionName; problem: string }[] {
  return OPTION_ROWS.flatMap(([path, { wire, problem }]) => {
    if (asked[path] == null) return [];
    const api = apiOf(asked.provider);
    const said =
      api !== undefined && wire[api] === undefined
        ? `${APIS[api]} has no such option; leave it out`
        : problem?.(asked);
    return said == null ? [] : [{ path, problem: said }];
  });
}

/** Returns a model's parameters for its calls, without those that are not set. */
export function parametersOf(asked: Asked): GenerateParameters {
  const set = OPTION_ROWS.map(([name]) => [name, asked[name]]).filter(([, value]) => value != null);
  return Object.fromEntries(set) as GenerateParameters;
}
