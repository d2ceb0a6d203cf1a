import { z } from 'zod';
import { InvalidInputError } from '../../../config/errors.js';
import { isMapping } from '../../../contracts/json.js';
import { parsePlainJson } from '../../../datasets/json-text.js';
import { ZipMembers } from './zip-file.js';

/*
 * The fields of a log by Inspect AI that are carried over, as inspect_ai 0.3.285 writes them (log/_log.py). Everything
 * else is passed over, so that a log of another version can be read as far as it says the same.
 */

const contentSchema = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().nullish(), reasoning: z.string().nullish() })),
]);

const toolCallSchema = z.looseObject({
  id: z.string(),
  function: z.string(),
  arguments: z.unknown(),
});

const messageSchema = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: contentSchema,
  tool_calls: z.array(toolCallSchema).nullish(),
  tool_call_id: z.string().nullish(),
});

const usageSchema = z.looseObject({
  input_tokens: z.number().default(0),
  output_tokens: z.number().default(0),
  input_tokens_cache_read: z.number().nullish(),
  input_tokens_cache_write: z.number().nullish(),
  total_tokens: z.number().nullish(),
  reasoning_tokens: z.number().nullish(),
  total_cost: z.number().nullish(),
});

const outputSchema = z.looseObject({
  model: z.string().default(''),
  choices: z.array(z.looseObject({ message: messageSchema, stop_reason: z.string().nullish() })).default([]),
  completion: z.string().nullish(),
  usage: usageSchema.nullish(),
  time: z.number().nullish(),
});

const eventSchema = z.looseObject({
  event: z.string(),
  timestamp: z.string().nullish(),
  span_id: z.string().nullish(),
});

export const modelEventSchema = eventSchema.extend({
  timestamp: z.string(),
  completed: z.string().nullish(),
  pending: z.boolean().nullish(),
  model: z.string(),
  input: z.array(messageSchema).default([]),
  input_refs: z.array(z.tuple([z.int(), z.int()])).nullish(),
  tools: z
    .array(
      z.looseObject({ name: z.string(), description: z.string().nullish(), parameters: z.json().optional() }),
    )
    .default([]),
  config: z.looseObject({ temperature: z.number().nullish(), max_tokens: z.number().nullish() }).default({}),
  output: outputSchema,
  retries: z.number().nullish(),
  error: z.string().nullish(),
  cache: z.string().nullish(),
  working_time: z.number().nullish(),
});

const scalarSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const sampleSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).transform(String),
  epoch: z.int().min(1),
  input: z.union([z.string(), z.array(messageSchema)]),
  choices: z.array(z.string()).nullish(),
  target: z.union([z.string(), z.array(z.string())]),
  output: outputSchema.prefault({}),
  scores: z
    .record(
      z.string(),
      z.looseObject({
        value: z.union([scalarSchema, z.array(scalarSchema), z.record(z.string(), scalarSchema)]),
        answer: z.string().nullish(),
        explanation: z.string().nullish(),
      }),
    )
    .nullish(),
  metadata: z.record(z.string(), z.json()).default({}),
  model_usage: z.record(z.string(), usageSchema).default({}),
  started_at: z.string().nullish(),
  total_time: z.number().nullish(),
  error: z.looseObject({ message: z.string() }).nullish(),
  limit: z.looseObject({ type: z.string() }).nullish(),
  events: z.array(eventSchema).default([]),
  events_data: z.looseObject({ messages: z.array(messageSchema).default([]) }).nullish(),
  attachments: z.record(z.string(), z.string()).default({}),
});

const headerSchema = z.looseObject({
  status: z.string().default('started'),
  results: z.looseObject({ total_samples: z.number().nullish() }).nullish(),
  eval: z.looseObject({
    task: z.string(),
    model: z.string(),
    created: z.string(),
    dataset: z.looseObject({ sample_ids: z.array(z.union([z.string(), z.number()])).nullish() }).default({}),
  }),
});

export type InspectMessage = z.output<typeof messageSchema>;
export type InspectUsage = z.output<typeof usageSchema>;
export type InspectOutput = z.output<typeof outputSchema>;
export type InspectSample = z.output<typeof sampleSchema>;
type InspectHeader = z.output<typeof headerSchema>;

/** A log of Inspect AI: an `.eval` or a JSON file. */
export interface InspectLog {
  header: InspectHeader;
  /** Reads the samples in the order of the dataset, then of their epochs, one at a time. */
  samples(): AsyncIterable<InspectSample>;
}

const HEADER = 'header.json';
/** Written at the beginning; all that there is where an evaluation was cut off. */
const START = '_journal/start.json';
const SAMPLE = /^samples\/(.*)_epoch_(\d+)\.json$/s;
const CHUNKED_SAMPLE = /^samples\/.*_epoch_\d+\/sample\.json$/s;

/** Pattern of ids that are whole numbers and may be beyond 2^53. */
const LONG_IDS = /"(?:\w{1,40}_)?ids?"\s*:\s*(?:-?\d{16,}|\[[\s\d,-]*\])/g;

const quoted = (ids: string) =>
  ids.replace(/-?\d{16,}/g, (id) => (Number.isSafeInteger(Number(id)) ? id : `"${id}"`));

/** Parses JSON that may hold Python's NaN and Infinity, which become null, and ids beyond 2^53, which become texts. */
export function parsePythonJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(LONG_IDS, quoted));
  } catch {
    return parsePlainJson(text);
  }
}

function read<Value>(schema: z.ZodType<Value>, value: unknown, what: string): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new InvalidInputError(
    `${what} is not as Inspect AI writes it: ${issue?.path.join('.') || 'the whole'}: ${issue?.message}`,
  );
}

/** Returns a comparison by the order of the dataset, then by epoch. Samples that it does not name are last. */
function inOrder({ eval: { dataset } }: InspectHeader) {
  const places = new Map((dataset.sample_ids ?? []).map((id, index) => [String(id), index]));
  const placeOf = (id: string) => places.get(id) ?? places.size;
  return (left: { id: string; epoch: number }, right: { id: string; epoch: number }) =>
    placeOf(left.id) - placeOf(right.id) || left.epoch - right.epoch;
}

/** Opens an `.eval` file. @throws InvalidInputError */
export async function openEvalLog(path: string): Promise<InspectLog & { close(): void }> {
  const zip = await ZipMembers.open(path);
  const has = zip.names.includes(HEADER) ? HEADER : START;
  if (!zip.names.includes(has)) {
    throw new InvalidInputError(`${path} is a zip file without ${HEADER}: it is no log of Inspect AI`);
  }
  if (zip.names.some((name) => CHUNKED_SAMPLE.test(name))) {
    throw new InvalidInputError(
      `${path} holds samples in pieces, which is not read; write it as JSON: inspect log dump ${path} > log.json`,
    );
  }
  const written = parsePythonJson(await zip.text(has)) as object;
  const header = read(headerSchema, has === START ? { status: 'started', ...written } : written, path);
  const members = zip.names.flatMap((name) => {
    const [, id, epoch] = SAMPLE.exec(name) ?? [];
    return id === undefined ? [] : [{ name, id, epoch: Number(epoch) }];
  });
  members.sort(inOrder(header));
  return {
    header,
    samples: async function* () {
      for (const { name } of members) yield read(sampleSchema, parsePythonJson(await zip.text(name)), name);
    },
    close: () => zip.close(),
  };
}

/** Reports whether parsed JSON is a log. */
export function isInspectLog(value: unknown): value is Record<string, unknown> {
  return isMapping(value) && isMapping(value.eval) && 'task' in value.eval;
}

/** Reads a log that was written as JSON. @throws InvalidInputError */
export function jsonLog({ samples, ...written }: Record<string, unknown>, path: string): InspectLog {
  const header = read(headerSchema, written, path);
  const all = (Array.isArray(samples) ? samples : []).map((sample, index) =>
    read(sampleSchema, sample, `sample ${index + 1} of ${path}`),
  );
  all.sort(inOrder(header));
  return {
    header,
    samples: async function* () {
      yield* all;
    },
  };
}
