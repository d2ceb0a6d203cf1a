import type {
  Content,
  GenerateContentConfig,
  GenerateContentResponse,
  Part,
  ThinkingLevel,
} from '@google/genai';
import { isMapping } from '../contracts/json.js';
import type {
  ChatMessage,
  GenerateParameters,
  GenerateReply,
  GenerateRequest,
  Usage,
} from '../contracts/language-model.js';
import {
  ANY_SIGNATURE,
  alternating,
  answeredTool,
  argumentsObject,
  imagesOf,
  receivedArguments,
  sentName,
  systemText,
} from './chat-messages.js';
import type { Dialect } from './dialect.js';
import { LanguageModelError } from './errors.js';
import { failedEnd, readEnd } from './reply-end.js';
import { splitContent } from './reply-parts.js';
import { tokensOfCandidate } from './reply-tokens.js';
import { plainOptions } from './request-options.js';
import { reportedUsage } from './usage.js';

const MODEL_WITHOUT_SIGNATURES = /^(?:models\/)?(?:gemini-[12]\b|gemma)/;

/** Model and tools that a chat is sent to. */
interface Recipient {
  model: string;
  tools?: GenerateRequest['tools'];
  images?: GenerateRequest['images'];
}

function toParts(
  messages: readonly ChatMessage[],
  index: number,
  { model, tools, images }: Recipient,
): Part[] {
  const message = messages[index] as ChatMessage;
  if (message.role === 'tool') {
    const name = sentName(answeredTool(messages, index, 'gemini'), tools);
    return [{ functionResponse: { id: message.tool_call_id, name, response: { output: message.content } } }];
  }
  const parts: Part[] = imagesOf(message, images).map(({ media_type: mimeType, base64: data }) => ({
    inlineData: { mimeType, data },
  }));
  if (message.content !== '') parts.push({ text: message.content });
  for (const [position, call] of (message.tool_calls ?? []).entries()) {
    parts.push({
      functionCall: { id: call.id, name: sentName(call.name, tools), args: argumentsObject(call.arguments) },
      // Only the first call of a reply has a signature.
      ...(message.as_given?.calls?.[position] ??
        (position === 0 && !MODEL_WITHOUT_SIGNATURES.test(model) && { thoughtSignature: ANY_SIGNATURE })),
    });
  }
  return parts;
}

/** Converts a chat to Gemini's contents: without system messages, and with tool results in the user's turns. */
export function toContents(messages: readonly ChatMessage[], recipient: Recipient): Content[] {
  return alternating(messages, 'model', {
    partsOf: (index) => toParts(messages, index, recipient),
    textPart: (text): Part => ({ text }),
  });
}

/** Returns how much a model thinks, by an effort or a budget, as far as the server takes it. */
function thinkingOf(
  { thinking_budget, reasoning_effort }: GenerateParameters,
  dialect: Dialect,
): Pick<GenerateContentConfig, 'thinkingConfig'> {
  // Thoughts are billed in any case, and belong to the record.
  const includeThoughts = true;
  if (reasoning_effort !== undefined) {
    const thinkingLevel = reasoning_effort.toUpperCase() as ThinkingLevel;
    return dialect.reasoning_effort ? { thinkingConfig: { thinkingLevel, includeThoughts } } : {};
  }
  if (thinking_budget === undefined || !dialect.thinking_budget) return {};
  return {
    thinkingConfig: { thinkingBudget: thinking_budget, ...(thinking_budget !== 0 && { includeThoughts }) },
  };
}

/** Returns the parameters, system instruction and tools of one request. */
export function toConfig(
  { messages, parameters, tools }: GenerateRequest,
  dialect: Dialect,
): GenerateContentConfig {
  const { logprobs, response_format } = parameters;
  return {
    systemInstruction: systemText(messages),
    ...plainOptions('gemini', parameters, dialect),
    ...(logprobs !== undefined &&
      dialect.logprobs && { responseLogprobs: true, ...(logprobs > 0 && { logprobs }) }),
    ...thinkingOf(parameters, dialect),
    ...(response_format !== undefined && {
      responseMimeType: 'application/json',
      responseJsonSchema: response_format,
    }),
    ...(tools !== undefined &&
      tools.length > 0 && {
        tools: [
          {
            functionDeclarations: tools.map(({ name, description, parameters: schema }) => ({
              name,
              description,
              parametersJsonSchema: schema,
            })),
          },
        ],
      }),
    // By default, the client may send further requests, each of them billed.
    automaticContinuation: false,
    automaticFunctionCalling: { disable: true },
  };
}

function readUsage(response: GenerateContentResponse): Usage | undefined {
  const counts = response.usageMetadata;
  if (typeof counts !== 'object' || counts === null) return undefined;
  const { promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount, thoughtsTokenCount } = counts;
  return reportedUsage(
    [promptTokenCount, toolUsePromptTokenCount ?? 0],
    // Thoughts are billed as output, but are not among the candidates' tokens.
    [candidatesTokenCount ?? 0, thoughtsTokenCount ?? 0],
    thoughtsTokenCount,
  );
}

/** Origin of a reply, for its errors. */
interface Origin {
  serverName: string;
  secrets?: readonly string[];
}

/**
 * Reads a `GenerateContentResponse`.
 * @throws LanguageModelError: `malformed_reply` if there is neither a candidate nor a reason for its absence, or
 * another kind if the reply ended in a failure or the prompt was blocked.
 */
export function readResponse(
  response: GenerateContentResponse,
  { serverName, secrets }: Origin,
): GenerateReply {
  const provider = 'gemini';
  const usage = readUsage(response);
  const candidate: unknown = Array.isArray(response.candidates) ? response.candidates[0] : undefined;
  if (!isMapping(candidate)) {
    const { blockReason, blockReasonMessage: words } = response.promptFeedback ?? {};
    if (blockReason !== undefined) {
      const reason = `blockReason ${blockReason}`;
      throw failedEnd({ provider, serverName, end: 'content_filter', reason, words, usage, secrets });
    }
    throw new LanguageModelError('malformed_reply', `${serverName} sent a reply without candidates`, {
      provider,
      usage,
    });
  }
  const { content, finishReason, finishMessage } = candidate;
  const end = readEnd(finishReason);
  if (end === 'broken_off' || end === 'paused' || end === 'content_filter') {
    const words = typeof finishMessage === 'string' ? finishMessage : '';
    const reason = `finishReason ${String(finishReason)}`;
    throw failedEnd({ provider, serverName, end, reason, words, usage, secrets });
  }
  const parts = isMapping(content) && Array.isArray(content.parts) ? content.parts : [];
  const { said, thought } = splitContent(parts);
  const called = parts.filter(isMapping).filter((part) => isMapping(part.functionCall));
  const calls = called.map(({ functionCall }) => functionCall as Record<string, unknown>);
  const signed = called.map(({ thoughtSignature }) =>
    typeof thoughtSignature === 'string' ? { thoughtSignature } : null,
  );
  const tokens = tokensOfCandidate(candidate);
  return {
    text: said,
    ...(thought !== '' && { reasoning: thought }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, args }) => ({
        id: typeof id === 'string' ? id : '',
        name: typeof name === 'string' ? name : '',
        arguments: receivedArguments(args, false),
      })),
    }),
    ...(signed.some((one) => one !== null) && { as_given: { calls: signed } }),
    ...(usage && { usage }),
    ...(tokens && { tokens }),
    // Gemini reports STOP beside function calls.
    finish_reason: calls.length > 0 && end === 'stop' ? 'tool_calls' : end,
    model: response.modelVersion || undefined,
  };
}
