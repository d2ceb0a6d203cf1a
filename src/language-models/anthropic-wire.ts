import type {
  Base64ImageSource,
  ContentBlockParam,
  JSONOutputFormat,
  Message,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import { isMapping, type Json, type JsonObject } from '../contracts/json.js';
import type {
  ChatMessage,
  GenerateParameters,
  GenerateReply,
  GenerateRequest,
  Usage,
} from '../contracts/language-model.js';
import { lacksThoughts, type ThinkingFields, thinkingOf } from './anthropic-thinking.js';
import {
  alternating,
  answeredTool,
  argumentsObject,
  asBlocks,
  imagesOf,
  type Notify,
  PLAIN_ID,
  receivedArguments,
  sentId,
  sentName,
  systemText,
} from './chat-messages.js';
import { errorInsideBody } from './classify-error.js';
import { type Dialect, inDialect } from './dialect.js';
import { LanguageModelError } from './errors.js';
import { failedEnd, readEnd } from './reply-end.js';
import { splitContent } from './reply-parts.js';
import { plainOptions, withExtraBody } from './request-options.js';
import { atTier, reportedUsage, withCacheWrites } from './usage.js';

/** Parameters of sampling, which the client's own type no longer has. */
interface Sampling {
  temperature?: number;
  top_p?: number;
  top_k?: number;
}

/** Body of `POST /v1/messages`, as far as Reprise uses it. */
export interface WireRequest extends ThinkingFields, Sampling {
  model: string;
  messages: MessageParam[];
  system?: string;
  output_config?: ThinkingFields['output_config'] & { format?: JSONOutputFormat };
  tools?: { name: string; description?: string; input_schema: { type: 'object'; [key: string]: unknown } }[];
}

function toBlocks(
  messages: readonly ChatMessage[],
  index: number,
  { tools, images }: Pick<GenerateRequest, 'tools' | 'images'>,
): ContentBlockParam[] {
  const message = messages[index] as ChatMessage;
  if (message.role === 'tool') {
    // Fails here rather than at the provider, whose message would only name a position.
    answeredTool(messages, index, 'anthropic');
    const tool_use_id = sentId(message.tool_call_id ?? '', PLAIN_ID);
    return [{ type: 'tool_result', tool_use_id, content: message.content }];
  }
  // The API refuses blank text blocks, so an empty reply in the chat is left out.
  const blocks: ContentBlockParam[] = imagesOf(message, images).map(({ media_type, base64: data }) => ({
    type: 'image',
    source: { type: 'base64', media_type: media_type as Base64ImageSource['media_type'], data },
  }));
  if (message.content.trim() !== '') blocks.push({ type: 'text', text: message.content });
  const calls = (message.tool_calls ?? []).map(
    (call): ContentBlockParam => ({
      type: 'tool_use',
      id: sentId(call.id, PLAIN_ID),
      name: sentName(call.name, tools),
      input: argumentsObject(call.arguments),
    }),
  );
  const toBlock = (block: unknown) => block as ContentBlockParam;
  return asBlocks(message.as_given?.thoughts, calls, isCall, toBlock) ?? [...blocks, ...calls];
}

const isCall = ({ type }: Record<string, unknown>) => type === 'tool_use';
const isThought = ({ type }: Record<string, unknown>) => type === 'thinking' || type === 'redacted_thinking';

/** Returns a block of a reply as it is sent back; the place of a call, which has a field of its own. */
function givenBlock(block: unknown): Json[] {
  if (!isMapping(block)) return [];
  if (isCall(block)) return [{ type: 'tool_use' }];
  const isSaid = block.type === 'text' && typeof block.text === 'string' && block.text.trim() !== '';
  return isSaid || isThought(block) ? [block as JsonObject] : [];
}

/** Converts a chat without its system messages; the results of all tool calls of one reply are in one user turn. */
function toTurns(
  messages: readonly ChatMessage[],
  beside: Pick<GenerateRequest, 'tools' | 'images'>,
): MessageParam[] {
  const turns = alternating(messages, 'assistant', {
    partsOf: (index) => toBlocks(messages, index, beside),
    textPart: (text): ContentBlockParam => ({ type: 'text', text }),
  });
  return turns.map(({ role, parts }) => ({ role, content: parts }) as MessageParam);
}

/** Least `top_p` that the API takes beside thinking. */
const LEAST_TOP_P_OF_THOUGHTS = 0.95;

/** Returns the parameters of sampling that the API takes, and says which it does not. */
export function samplingOf(
  { temperature, top_p, top_k }: GenerateParameters,
  dialect: Dialect,
  thinks: boolean,
  notify: Notify,
): Sampling {
  const sampling: Sampling = {};
  const leftOut = (name: keyof Sampling, value: number, takes: string) =>
    notify(`lm.${name} ${value} is left out: thinking allows ${takes}`);
  if (temperature !== undefined && dialect.temperature) {
    if (thinks) leftOut('temperature', temperature, 'none but the default');
    else {
      if (temperature > 1) notify(`lm.temperature ${temperature} is sent as 1, the highest there is`);
      // The maximum is 1 here, and 2 at other providers.
      sampling.temperature = Math.min(temperature, 1);
    }
  }
  if (top_p !== undefined && dialect.top_p) {
    if (thinks && top_p < LEAST_TOP_P_OF_THOUGHTS)
      leftOut('top_p', top_p, `none below ${LEAST_TOP_P_OF_THOUGHTS}`);
    else sampling.top_p = top_p;
  }
  if (top_k !== undefined && dialect.top_k) {
    if (thinks) leftOut('top_k', top_k, 'none');
    else sampling.top_k = top_k;
  }
  return sampling;
}

/** Returns the request, and whether it needs the older version of the API. */
export function toWireRequest(
  model: string,
  { messages: given, parameters, tools, images }: GenerateRequest,
  dialect: Dialect,
  notify: Notify,
): { body: WireRequest; needsOlderVersion: boolean } {
  const messages = inDialect(given, dialect);
  const { thinking_budget, reasoning_effort, ...bounds } = parameters;
  const asked = {
    ...bounds,
    ...(dialect.thinking_budget && { thinking_budget }),
    ...(dialect.reasoning_effort && { reasoning_effort }),
  };
  const thinking = thinkingOf(asked, model, lacksThoughts(messages), notify);
  const thinks = thinking.thinking !== undefined && thinking.thinking.type !== 'disabled';
  const sampling = samplingOf(parameters, dialect, thinks, notify);
  const body: WireRequest = {
    model,
    ...thinking,
    ...(parameters.response_format !== undefined && {
      output_config: {
        ...thinking.output_config,
        format: { type: 'json_schema', schema: parameters.response_format },
      },
    }),
    messages: toTurns(messages, { tools, images }),
    system: systemText(messages),
    ...sampling,
    ...plainOptions('anthropic', parameters, dialect),
    ...(tools !== undefined &&
      tools.length > 0 && {
        tools: tools.map(({ name, description, parameters: schema }) => ({
          name,
          description,
          input_schema: { ...schema, type: 'object' as const },
        })),
      }),
  };
  return {
    body: withExtraBody(body, parameters.extra_body),
    needsOlderVersion: Object.keys(sampling).length > 0,
  };
}

function usageIn({ usage }: Record<string, unknown>): Usage | undefined {
  if (!isMapping(usage)) return undefined;
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  const { output_tokens_details: details, cache_creation: written } = usage;
  const reported = reportedUsage(
    [input_tokens, cache_creation_input_tokens ?? 0, cache_read_input_tokens ?? 0],
    [output_tokens],
    isMapping(details) ? details.thinking_tokens : undefined,
  );
  const forAnHour = isMapping(written) ? written.ephemeral_1h_input_tokens : undefined;
  return atTier(withCacheWrites(reported, cache_creation_input_tokens, forAnHour), usage.service_tier);
}

/** Joins the parts of a paused turn into one message, with the end of the last part and the sum of all tokens. */
export function joinedMessage(parts: readonly Partial<Message>[]): Record<string, unknown> {
  const usages = parts.map((part) => usageIn(part as Record<string, unknown>));
  const total = (field: 'input_tokens' | 'output_tokens') =>
    usages.reduce<number | null>(
      (sum, usage) => (sum === null || usage === undefined ? null : sum + usage[field]),
      0,
    );
  return {
    ...parts.at(-1),
    content: parts.flatMap(({ content }) => content ?? []),
    usage: { input_tokens: total('input_tokens'), output_tokens: total('output_tokens') },
  };
}

/** Origin of a reply, for its errors. */
interface Origin {
  serverName: string;
  secrets?: readonly string[];
}

/**
 * Reads a `message`. Cached input counts as input: it was sent and billed, although at another rate.
 * @throws LanguageModelError `malformed_reply` if the body is not a message, or another kind if the reply ended in a
 * failure.
 */
export function readMessage(body: unknown, { serverName, secrets }: Origin): GenerateReply {
  const provider = 'anthropic';
  const usage = isMapping(body) ? usageIn(body) : undefined;
  const origin = { provider, serverName, secrets, usage };
  const problem = errorInsideBody(body, origin);
  if (problem !== undefined) throw problem;
  const content = isMapping(body) ? body.content : undefined;
  if (!isMapping(body) || (!Array.isArray(content) && typeof content !== 'string')) {
    const wrong = isMapping(body) ? 'it has no content' : 'it is no JSON object';
    throw new LanguageModelError('malformed_reply', `${serverName} sent no message: ${wrong}`, {
      provider,
      usage,
    });
  }
  const { stop_reason, stop_details: details, model } = body;
  const end = readEnd(stop_reason);
  if (end === 'broken_off' || end === 'paused' || end === 'content_filter') {
    const words = isMapping(details) && typeof details.explanation === 'string' ? details.explanation : '';
    const reason = `stop_reason ${JSON.stringify(stop_reason)}`;
    throw failedEnd({ ...origin, end, reason, words });
  }
  const blocks = (typeof content === 'string' ? [content] : content) as unknown[];
  const cutOff = end === 'length' ? blocks.at(-1) : undefined;
  const calls = blocks
    .filter(isMapping)
    .filter(isCall)
    .map((block) => ({
      id: String(block.id ?? ''),
      name: String(block.name ?? ''),
      arguments: receivedArguments(block.input, block === cutOff),
    }));
  const { said, thought } = splitContent(blocks);
  const thinks = calls.length > 0 && blocks.some((block) => isMapping(block) && isThought(block));
  return {
    text: said,
    ...(thought !== '' && { reasoning: thought }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(thinks && { as_given: { thoughts: blocks.flatMap(givenBlock) } }),
    ...(usage && { usage }),
    finish_reason: end,
    model: typeof model === 'string' && model !== '' ? model : undefined,
  };
}
