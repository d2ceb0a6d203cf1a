import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { GenerateReply, LanguageModel } from '../contracts/language-model.js';
import { LanguageModelError } from './errors.js';
import { guard } from './guard.js';
import { openRecordingFile, RecordingIndex, spoolRecording } from './recording-index.js';

const PROVIDER = 'replay';

/**
 * Opens a recording that is no local file, such as `s3://bucket/run/calls.jsonl`; returns null if it does not exist.
 */
export type OpenRecording = (uri: string) => Promise<AsyncIterable<Uint8Array | string> | null>;

export interface ReplayOptions {
  /** Path, `file://` address, or any other address that `openRecording` can open. */
  recording: string;
  /** Milliseconds one call may take. */
  timeoutMs: number;
  openRecording?: OpenRecording;
}

const tokens = z.int().min(0);

/** Schema of a row. Invalid optional fields are ignored: a replay only needs the text. */
const rowSchema = z.object({
  text: z.string().nullish(),
  tool_calls: z
    .array(z.object({ id: z.string(), name: z.string(), arguments: z.string() }))
    .min(1)
    .optional()
    .catch(undefined),
  usage: z
    .object({
      input_tokens: tokens,
      output_tokens: tokens,
      reasoning_tokens: tokens.optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  usage_estimated: z.literal(true).optional().catch(undefined),
  finish_reason: z
    .enum(['stop', 'length', 'tool_calls', 'content_filter', 'unknown'])
    .optional()
    .catch(undefined),
  model: z.string().optional().catch(undefined),
  reasoning: z.string().optional().catch(undefined),
  only_thought: z.literal(true).optional().catch(undefined),
  context_full: z.string().optional().catch(undefined),
  adapted: z.array(z.string()).optional().catch(undefined),
  tokens: z
    .object({
      token_ids: z.array(tokens).optional(),
      tokens: z.array(z.string()).optional(),
      logprobs: z.array(z.number()).optional(),
      top_tokens: z.array(z.array(z.string())).optional(),
      top_logprobs: z.array(z.array(z.number())).optional(),
    })
    .optional()
    .catch(undefined),
});

function toReply(row: Record<string, unknown>): GenerateReply {
  const { text, reasoning, only_thought, adapted, tokens, tool_calls, usage, ...rest } = rowSchema.parse(row);
  const { usage_estimated, finish_reason, context_full, model } = rest;
  return {
    text: text ?? '',
    ...(reasoning && { reasoning }),
    ...(only_thought && { only_thought }),
    ...(adapted && { adapted }),
    ...(tokens && { tokens }),
    ...(tool_calls && { tool_calls }),
    ...(usage && { usage }),
    ...(usage && usage_estimated && { usage_estimated }),
    finish_reason: finish_reason ?? (tool_calls === undefined ? 'unknown' : 'tool_calls'),
    ...(context_full && { context_full }),
    model,
    // The recorded cost was paid by the run that recorded it.
    cost_usd: 0,
  };
}

async function openIndex({ recording, openRecording }: ReplayOptions): Promise<RecordingIndex> {
  const refuse = (why: string) =>
    new LanguageModelError('configuration', `recording ${recording} ${why}`, { provider: PROVIDER });
  const remote = /^[a-z][a-z0-9+.-]+:\/\//i.test(recording) && !recording.startsWith('file://');
  if (remote) {
    if (openRecording === undefined) throw refuse('cannot be opened here: it is no local file');
    const stream = await openRecording(recording);
    if (stream === null) throw refuse('does not exist');
    return await RecordingIndex.build(await spoolRecording(stream), recording);
  }
  const path = recording.startsWith('file://') ? fileURLToPath(recording) : recording;
  try {
    return await RecordingIndex.build(await openRecordingFile(path), recording);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw refuse('does not exist');
    if (code === 'EISDIR' || code === 'EACCES') throw refuse(`cannot be read (${code})`);
    throw error;
  }
}

/**
 * Creates a model that answers every call with the recorded row of the same sample, trial, purpose and ordinal. Costs
 * nothing. The recording is indexed at the first call; see {@link RecordingIndex} for valid rows.
 */
export function replayLanguageModel(options: ReplayOptions): LanguageModel {
  let opening: Promise<RecordingIndex> | undefined;
  function index(): Promise<RecordingIndex> {
    opening ??= openIndex(options).catch((error: unknown) => {
      // The store may be reachable again at the next attempt.
      opening = undefined;
      throw error;
    });
    return opening;
  }
  return guard({ provider: PROVIDER, timeoutMs: options.timeoutMs }, async ({ call }) => {
    const row = await (await index()).find(call);
    if (row !== undefined) return toReply(row);
    throw new LanguageModelError(
      'no_such_row',
      `recording ${options.recording} has no row for sample ${call.sample_id}, trial ${call.trial}, ` +
        `purpose '${call.purpose}', ordinal ${call.ordinal}`,
      { provider: PROVIDER },
    );
  });
}
