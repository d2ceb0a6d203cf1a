import type { Content, GenerateContentConfig, GenerateContentResponse, Part } from '@google/genai';
import type {
  CallIdentity,
  ChatMessage,
  FinishReason,
  GenerateReply,
  GenerateRequest,
  Usage,
} from '../contracts/language-model.js';
import { answeredTool, argumentsObject, mergeNeighbours, systemText, toolCallId } from './chat-messages.js';
import { LanguageModelError } from './errors.js';
import { reportedUsage } from './usage.js';

/**
 * Gemini 3 and later refuse a function call in the history that lacks the signature they gave it. A chat does not
 * carry signatures, so the documented stand-in is sent: https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const ANY_SIGNATURE = 'skip_thought_signature_validator';
const MODEL_WITHOUT_SIGNATURES = /^(?:models\/)?(?:gemini-[12]\b|gemma)/;

function toParts(messages: readonly ChatMessage[], index: number, model: string): Part[] {
  const message = messages[index] as ChatMessage;
  if (message.role === 'tool') {
    const name = answeredTool(messages, index, 'gemini');
    return [{ functionResponse: { id: message.tool_call_id, name, response: { output: message.content } } }];
  }
  const parts: Part[] = message.content === '' ? [] : [{ text: message.content }];
  for (const [position, call] of (message.tool_calls ?? []).entries()) {
    parts.push({
      functionCall: { id: call.id, name: call.name, args: argumentsObject(call.arguments) },
      // Only the first call of a reply carries one.
      ...(position === 0 && !MODEL_WITHOUT_SIGNATURES.test(model) && { thoughtSignature: ANY_SIGNATURE }),
    });
  }
  return parts;
}

/** The chat as Gemini's contents: system messages apart, tool answers in the user's turn. */
export function toContents(messages: readonly ChatMessage[], model: string): Content[] {
  const turns = messages.flatMap((message, index) =>
    message.role === 'system'
      ? []
      : [{ role: message.role === 'assistant' ? 'model' : 'user', parts: toParts(messages, index, model) }],
  );
  return mergeNeighbours(turns);
}

/** Parameters, system instruction and tools of one request. */
export function toConfig({ messages, parameters, tools }: GenerateRequest): GenerateContentConfig {
  const { temperature, max_output_tokens, thinking_budget } = parameters;
  return {
    systemInstruction: systemText(messages),
    temperature,
    maxOutputTokens: max_output_tokens,
    ...(thinking_budget !== undefined && { thinkingConfig: { thinkingBudget: thinking_budget } }),
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
    // The client would otherwise send further requests of its own accord, each of them billed.
    automaticContinuation: false,
    automaticFunctionCalling: { disable: true },
  };
}

const FINISH_REASONS: Record<string, FinishReason> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  // The limit of one request is reached, and further requests are not sent unasked.
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
};

function readUsage(response: GenerateContentResponse): Usage | undefined {
  const counts = response.usageMetadata;
  if (typeof counts !== 'object' || counts === null) return undefined;
  const { promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount, thoughtsTokenCount } = counts;
  return reportedUsage(
    [promptTokenCount, toolUsePromptTokenCount ?? 0],
    // Thoughts are billed as output, but are not among the candidates' tokens.
    [candidatesTokenCount ?? 0, thoughtsTokenCount ?? 0],
  );
}

/**
 * Reads a `GenerateContentResponse`. A blocked prompt is an empty reply with the finish reason `content_filter`.
 * @throws LanguageModelError (`malformed_reply`) where there is neither a candidate nor a reason for its absence.
 */
export function readResponse(response: GenerateContentResponse, call: CallIdentity): GenerateReply {
  const usage = readUsage(response);
  const common = { ...(usage && { usage }), model: response.modelVersion || undefined };
  const candidate = Array.isArray(response.candidates) ? response.candidates[0] : undefined;
  if (candidate === undefined) {
    if (response.promptFeedback?.blockReason !== undefined) {
      return { text: '', finish_reason: 'content_filter', ...common };
    }
    throw new LanguageModelError('malformed_reply', 'gemini sent a reply without candidates', {
      provider: 'gemini',
      usage,
    });
  }
  const parts = candidate.content?.parts ?? [];
  const calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
  const reported = FINISH_REASONS[candidate.finishReason ?? ''] ?? 'unknown';
  return {
    text: parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join(''),
    ...(calls.length > 0 && {
      tool_calls: calls.map((asked, index) => ({
        id: asked.id || toolCallId(call, index),
        name: asked.name ?? '',
        arguments: JSON.stringify(asked.args ?? {}),
      })),
    }),
    // Gemini reports STOP beside function calls.
    finish_reason: calls.length > 0 && reported === 'stop' ? 'tool_calls' : reported,
    ...common,
  };
}
