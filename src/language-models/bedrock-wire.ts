import type {
  ContentBlock,
  ConverseCommandInput,
  ConverseCommandOutput,
  ImageFormat,
  Message,
  Tool,
} from '@aws-sdk/client-bedrock-runtime';
import { isMapping, type Json, type JsonObject } from '../contracts/json.js';
import type {
  ChatMessage,
  GenerateParameters,
  GenerateReply,
  GenerateRequest,
  Usage,
} from '../contracts/language-model.js';
import { lacksThoughts, thinkingOf } from './anthropic-thinking.js';
import { samplingOf } from './anthropic-wire.js';
import {
  alternating,
  answeredTool,
  argumentsObject,
  asBlocks,
  effortOf,
  imagesOf,
  type Notify,
  PLAIN_ID,
  receivedArguments,
  sentId,
  sentName,
  systemText,
} from './chat-messages.js';
import { type Dialect, inDialect } from './dialect.js';
import { LanguageModelError } from './errors.js';
import { failedEnd, readEnd } from './reply-end.js';
import { splitContent, thoughtIn } from './reply-parts.js';
import { nameOfFormat, withExtraBody } from './request-options.js';
import { reportedUsage } from './usage.js';

/** Document of the client's types: any JSON value. */
type Document = ConverseCommandInput['additionalModelRequestFields'];

function toBlocks(
  messages: readonly ChatMessage[],
  index: number,
  { tools, images }: Pick<GenerateRequest, 'tools' | 'images'>,
): ContentBlock[] {
  const message = messages[index] as ChatMessage;
  if (message.role === 'tool') {
    // Fails here rather than at the provider, whose message would only name a position.
    answeredTool(messages, index, 'bedrock');
    // A blank text is refused, and so is a result without any.
    const text = message.content.trim() === '' ? '(nothing)' : message.content;
    return [{ toolResult: { toolUseId: sentId(message.tool_call_id ?? '', PLAIN_ID), content: [{ text }] } }];
  }
  const blocks: ContentBlock[] = imagesOf(message, images).map(({ media_type, base64 }) => ({
    image: {
      format: media_type.replace('image/', '') as ImageFormat,
      source: { bytes: Buffer.from(base64, 'base64') },
    },
  }));
  // The API refuses blank text blocks, so an empty reply in the chat is left out.
  if (message.content.trim() !== '') blocks.push({ text: message.content });
  const calls = (message.tool_calls ?? []).map(({ id, name, arguments: given }): ContentBlock => {
    const input = argumentsObject(given) as NonNullable<Document>;
    return { toolUse: { toolUseId: sentId(id, PLAIN_ID), name: sentName(name, tools), input } };
  });
  return asBlocks(message.as_given?.thoughts, calls, isCall, toBlock) ?? [...blocks, ...calls];
}

const isCall = ({ toolUse }: Record<string, unknown>) => toolUse !== undefined;

/** Returns a block of a reply as it is sent back, in JSON; the place of a call, which has a field of its own. */
function givenBlock(block: Record<string, unknown>): Json[] {
  const { text, reasoningContent } = block;
  if (isCall(block)) return [{ toolUse: {} }];
  if (typeof text === 'string' && text.trim() !== '') return [{ text }];
  if (!isMapping(reasoningContent)) return [];
  const { redactedContent } = reasoningContent;
  const given =
    redactedContent instanceof Uint8Array
      ? { redactedContent: Buffer.from(redactedContent).toString('base64') }
      : reasoningContent;
  return [{ reasoningContent: given as JsonObject }];
}

/** Returns such a block as the client takes it. */
function toBlock(block: Record<string, unknown>): ContentBlock {
  const redacted = isMapping(block.reasoningContent) ? block.reasoningContent.redactedContent : undefined;
  return typeof redacted === 'string'
    ? { reasoningContent: { redactedContent: Buffer.from(redacted, 'base64') } }
    : (block as unknown as ContentBlock);
}

/** Converts a chat without its system messages; the results of all tool calls of one reply are in one user turn. */
function toTurns(
  messages: readonly ChatMessage[],
  beside: Pick<GenerateRequest, 'tools' | 'images'>,
): Message[] {
  const turns = alternating(messages, 'assistant', {
    partsOf: (index) => toBlocks(messages, index, beside),
    textPart: (text): ContentBlock => ({ text }),
  });
  return turns.map(({ role, parts }) => ({ role, content: parts }));
}

/** Returns the name of a Claude without its region and Bedrock's version, such as `claude-opus-4-6`; null for others. */
function claudeIn(model: string): string | null {
  return /claude-.*?(?=-v\d+(?::\d+)?$|$)/.exec(model)?.[0] ?? null;
}

/** Fields of a request that bound, sample and control thinking. */
interface Controls {
  inferenceConfig: NonNullable<ConverseCommandInput['inferenceConfig']>;
  /** Fields that only some models have, in their makers' words. */
  further: JsonObject;
}

/** Returns the controls of Anthropic's models, whose API says what goes with what. */
function claudeControls(
  claude: string,
  parameters: GenerateParameters,
  dialect: Dialect,
  withoutThoughts: boolean,
  notify: Notify,
): Controls {
  const { thinking_budget, reasoning_effort, ...bounds } = parameters;
  const asked = {
    ...bounds,
    ...(dialect.thinking_budget && { thinking_budget }),
    ...(dialect.reasoning_effort && { reasoning_effort }),
  };
  const { max_tokens, ...thinking } = thinkingOf(asked, claude, withoutThoughts, notify);
  const thinks = thinking.thinking !== undefined && thinking.thinking.type !== 'disabled';
  const { temperature, top_p, top_k } = samplingOf(parameters, dialect, thinks, notify);
  return {
    inferenceConfig: { maxTokens: max_tokens, temperature, topP: top_p },
    further: { ...(top_k !== undefined && { top_k }), ...(thinking as JsonObject) },
  };
}

/** Returns the controls of all other models. */
function otherControls(
  model: string,
  { max_output_tokens, temperature, top_p, top_k, thinking_budget, reasoning_effort }: GenerateParameters,
  dialect: Dialect,
): Controls {
  const budget = dialect.thinking_budget ? (thinking_budget ?? -1) : -1;
  const effort = dialect.reasoning_effort ? reasoning_effort : undefined;
  const sent = effort ?? (budget > 0 ? effortOf(budget) : undefined);
  return {
    inferenceConfig: {
      maxTokens: max_output_tokens,
      ...(dialect.temperature && { temperature }),
      ...(dialect.top_p && { topP: top_p }),
    },
    further: {
      ...(top_k !== undefined && dialect.top_k && topK(model, top_k)),
      ...(sent !== undefined && effortFields(model, sent)),
    },
  };
}

function topK(model: string, top_k: number): JsonObject {
  return model.includes('amazon.nova') ? { inferenceConfig: { topK: top_k } } : { top_k };
}

function effortFields(model: string, effort: string): JsonObject {
  return model.includes('amazon.nova')
    ? { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } }
    : { reasoning_effort: effort };
}

/** Converts a request to the input of Converse. */
export function toConverse(
  model: string,
  { messages: given, parameters, tools, images }: GenerateRequest,
  dialect: Dialect,
  notify: Notify,
): ConverseCommandInput {
  const messages = inDialect(given, dialect);
  const system = systemText(messages);
  const claude = claudeIn(model);
  const { inferenceConfig, further } =
    claude === null
      ? otherControls(model, parameters, dialect)
      : claudeControls(claude, parameters, dialect, lacksThoughts(messages), notify);
  const { stop, response_format: schema } = parameters;
  const fields = withExtraBody(further, parameters.extra_body);
  return {
    modelId: model,
    messages: toTurns(messages, { tools, images }),
    ...(system !== undefined && { system: [{ text: system }] }),
    inferenceConfig: { ...inferenceConfig, stopSequences: stop },
    ...(schema !== undefined && {
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { schema: JSON.stringify(schema), name: nameOfFormat(schema) } },
        },
      },
    }),
    ...(tools !== undefined && tools.length > 0 && { toolConfig: { tools: tools.map(toTool) } }),
    ...(Object.keys(fields).length > 0 && { additionalModelRequestFields: fields as Document }),
  };
}

function toTool({ name, description, parameters }: NonNullable<GenerateRequest['tools']>[number]): Tool {
  const json = parameters as NonNullable<Document>;
  return { toolSpec: { name, ...(description && { description }), inputSchema: { json } } };
}

function usageIn({ usage }: Partial<ConverseCommandOutput>): Usage | undefined {
  if (!isMapping(usage)) return undefined;
  const { inputTokens, cacheReadInputTokens, cacheWriteInputTokens, outputTokens } = usage;
  return reportedUsage([inputTokens, cacheReadInputTokens ?? 0, cacheWriteInputTokens ?? 0], [outputTokens]);
}

/**
 * Reads the output of Converse. Cached input counts as input: it was sent and billed, although at another rate.
 * @throws LanguageModelError `malformed_reply` if it has no message, or another kind if the reply ended in a failure.
 */
export function readConverse(output: Partial<ConverseCommandOutput>, serverName: string): GenerateReply {
  const provider = 'bedrock';
  const usage = usageIn(output);
  const blocks: unknown = output.output?.message?.content;
  if (!Array.isArray(blocks)) {
    const message = `${serverName} sent no message: output.message.content is missing`;
    throw new LanguageModelError('malformed_reply', message, { provider, usage });
  }
  const end = readEnd(output.stopReason);
  if (end === 'broken_off' || end === 'paused' || end === 'content_filter') {
    const reason = `stopReason ${JSON.stringify(output.stopReason)}`;
    throw failedEnd({ provider, serverName, end, reason, usage });
  }
  const parts = blocks.filter(isMapping);
  const calls = parts.flatMap(({ toolUse }) => (isMapping(toolUse) ? [toolUse] : []));
  const cutOff = end === 'length' ? parts.at(-1)?.toolUse : undefined;
  const { said } = splitContent(parts);
  const thinks = calls.length > 0 && parts.some(({ reasoningContent }) => isMapping(reasoningContent));
  const reasoning = parts.map(({ reasoningContent: part }) => thoughtOf(part)).join('');
  return {
    text: said,
    ...(reasoning !== '' && { reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => ({
        id: String(call.toolUseId ?? ''),
        name: String(call.name ?? ''),
        arguments: receivedArguments(call.input, call === cutOff),
      })),
    }),
    ...(thinks && { as_given: { thoughts: parts.flatMap(givenBlock) } }),
    ...(usage && { usage }),
    finish_reason: calls.length > 0 && end === 'stop' ? 'tool_calls' : end,
  };
}

/** Returns the text of a thought; encrypted ones have none. */
function thoughtOf(part: unknown): string {
  return isMapping(part) ? thoughtIn(part.reasoningText) : '';
}
