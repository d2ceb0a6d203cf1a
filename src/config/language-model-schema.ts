import { z } from 'zod';
import { problemsOfExtras } from './extra-request.js';
import { OPTION_FIELDS, unknownOptions } from './model-options.js';
import { isOffline, PROVIDERS, type Provider } from './providers.js';
import { hasVariable, NOTHING_REPLACED } from './variables.js';

const latencySchema = z.union([
  z.number().min(0),
  z.strictObject({ mean: z.number().min(0), deviation: z.number().min(0).default(0) }),
]);

/** Options of the simulated model, a labelled stand-in for demos and load tests. */
const simulationSchema = z.strictObject({
  accuracy: z.number().min(0).max(1).default(0.5).describe('Chance of a right answer without reflections.'),
  latency_ms: latencySchema.default(0).describe('Milliseconds: a number, or {mean, deviation}.'),
  error_rate: z
    .number()
    .min(0)
    .lt(1)
    .default(0)
    .describe('Share of attempts that fail like an overloaded server.'),
  reflection_gain: z
    .number()
    .min(0)
    .max(1)
    .default(0.15)
    .describe('Added to the accuracy for each reflection in the prompt.'),
});

const fields = z.strictObject({
  provider: z.enum(PROVIDERS).optional(),
  model: z
    .string()
    .min(1)
    .optional()
    .describe('provider/name, e.g. gemini/gemini-2.5-flash; or the bare name beside provider.'),
  base_url: z.url().optional().describe('Any OpenAI-compatible server, e.g. http://127.0.0.1:11434/v1.'),
  ...OPTION_FIELDS,
  on_cut_off: z
    .enum(['judge', 'error'])
    .default('judge')
    .describe('What becomes of a reply that used up its token limit.'),
  timeout_sec: z.number().positive().max(3600).default(120).describe('Seconds one request may take.'),
  max_reply_mb: z
    .number()
    .positive()
    .max(100)
    .default(4)
    .describe('Megabytes of a reply, after unpacking; a longer one is an error row.'),
  requests_per_second: z
    .number()
    .positive()
    .max(100_000)
    .nullable()
    .default(null)
    .describe('Held by the server across all workers.'),
  max_attempts: z
    .int()
    .positive()
    .max(100)
    .default(8)
    .describe('Requests per call before it is an error row.'),
  cache: z
    .union([z.boolean(), z.enum(['runs', 'seed'])])
    .default(false)
    .describe(
      'true: share replies to equal prompts between samples, trials and runs. runs: between runs alone, for the same call of the same sample and trial. seed: the same, between runs of one seed.',
    ),
  script: z.string().min(1).optional().describe('provider scripted: a YAML file of rules.'),
  recording: z.string().min(1).optional().describe('provider replay: a calls.jsonl.'),
  simulation: simulationSchema.optional().describe('provider simulated.'),
});

type Fields = z.output<typeof fields>;

/** Reports whether a model is named by a path (`/path/to/model`), as a user's own server names it. */
export function isModelPath(model: string): boolean {
  return /^(?:~|\.{1,2})?\/./.test(model) && !/\.(?:ya?ml|jsonl?)$/.test(model);
}

/**
 * Splits `provider/name`. A bare `gemini-…` belongs to Gemini, a path to an OpenAI-compatible server. Returns the
 * message to show if the name has no known provider.
 */
export function resolveModel(
  provider: Provider | undefined,
  model: string | undefined,
): { provider: Provider; model: string } | { problem: string } {
  if (provider !== undefined) {
    if (model === undefined && !isOffline(provider)) {
      return { problem: `provider ${provider} needs a model` };
    }
    const prefix = `${provider}/`;
    return { provider, model: model?.startsWith(prefix) ? model.slice(prefix.length) : (model ?? provider) };
  }
  if (model === undefined) return { problem: 'give a model as provider/name, e.g. gemini/gemini-2.5-flash' };
  if (model.startsWith('gemini-')) return { provider: 'gemini', model };
  // vLLM and others name a model that they serve from a folder by its path.
  if (isModelPath(model)) return { provider: 'openai', model };
  const slash = model.indexOf('/');
  const head = model.slice(0, Math.max(slash, 0));
  const known = PROVIDERS.find((name) => name === head);
  if (known !== undefined && slash < model.length - 1)
    return { provider: known, model: model.slice(slash + 1) };
  return {
    problem: `'${model}' does not begin with a provider (${PROVIDERS.join(', ')}); write e.g. openai/${model}, or set lm.provider`,
  };
}

function checkProviderFields(lm: Fields & { provider: Provider }): { path: string; problem: string } | null {
  for (const path of ['model', 'base_url'] as const) {
    const text = lm[path];
    if (text !== undefined && hasVariable(text)) return { path, problem: `${text}: ${NOTHING_REPLACED}` };
  }
  if (lm.provider === 'scripted' && lm.script === undefined) {
    return { path: 'script', problem: 'provider scripted needs script, a YAML file of rules' };
  }
  if (lm.provider === 'replay' && lm.recording === undefined) {
    return { path: 'recording', problem: 'provider replay needs recording, the calls.jsonl to answer from' };
  }
  const owners = { script: 'scripted', recording: 'replay', simulation: 'simulated' } as const;
  for (const [field, owner] of Object.entries(owners)) {
    if (lm[field as keyof typeof owners] !== undefined && lm.provider !== owner) {
      return { path: field, problem: `belongs to provider ${owner}, but the provider is ${lm.provider}` };
    }
  }
  if (lm.base_url !== undefined && isOffline(lm.provider)) {
    return { path: 'base_url', problem: `provider ${lm.provider} calls no server` };
  }
  return null;
}

function complete(lm: Fields, context: z.core.$RefinementCtx<Fields>) {
  const resolved = resolveModel(lm.provider, lm.model);
  if ('problem' in resolved) {
    context.addIssue({ code: 'custom', path: ['model'], message: resolved.problem });
    return z.NEVER;
  }
  const result = { ...lm, ...resolved };
  const wrong = checkProviderFields(result);
  const problems = wrong === null ? [...unknownOptions(result), ...problemsOfExtras(result)] : [wrong];
  for (const { path, problem } of problems) {
    context.addIssue({ code: 'custom', path: [path], message: problem });
  }
  if (problems.length > 0) return z.NEVER;
  if (result.provider === 'simulated') result.simulation = simulationSchema.parse(result.simulation ?? {});
  return result;
}

export const languageModelSchema = fields.transform(complete);

/** Returns the schema with other defaults, for models that write more than a short answer. */
export function languageModelSchemaWith(defaults: {
  max_output_tokens: number;
  timeout_sec: number;
  temperature?: number;
}) {
  const { max_output_tokens, timeout_sec, temperature } = fields.shape;
  return fields
    .extend({
      temperature: temperature.unwrap().default(defaults.temperature ?? temperature.parse(undefined)),
      max_output_tokens: max_output_tokens.unwrap().default(defaults.max_output_tokens),
      timeout_sec: timeout_sec.unwrap().default(defaults.timeout_sec),
    })
    .transform(complete);
}

export type LanguageModelConfig = z.output<typeof languageModelSchema>;
