import type { ContentBlockParam, Message, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import type {
  ChatMessage,
  FinishReason,
  GenerateReply,
  GenerateRequest,
  Usage,
} from '../contracts/language-model.js';
import { isClassic, type ThinkingFields, thinkingOf } from './anthropic-thinking.js';
import { answeredTool, argumentsObject, mergeNeighbours, type Notice, systemText } from './chat-messages.js';
import { LanguageModelError } from './errors.js';
import { reportedUsage } from './usage.js';

/** The body of `POST /v1/messages`, as far as Reprise uses it. The client's own type no longer has `temperature`. */
export interface WireRequest extends ThinkingFields {
  model: string;
  messages: MessageParam[];
  system?: string;
  temperature?: number;
  tools?: { name: string; description?: string; input_schema: { type: 'object'; [key: string]: unknown } }[];
}

function toBlocks(messages: readonly ChatMessage[], index: number): ContentBlockParam[] {
  const message = messages[index] as ChatMessage;
  if (message.role === 'tool') {
    // Fails here rather than at the provider, where the message would name a position only.
    answeredTool(messages, index, 'anthropic');
    return [{ type: 'tool_result', tool_use_id: message.tool_call_id ?? '', content: message.content }];
  }
  // An empty text block is refused; an empty reply in a chat's past is left out.
  const blocks: ContentBlockParam[] = message.content === '' ? [] : [{ type: 'text', text: message.content }];
  for (const call of message.tool_calls ?? []) {
    blocks.push({ type: 'tool_use', id: call.id, name: call.name, input: argumentsObject(call.arguments) });
  }
  return blocks;
}

/** The chat without system messages; tool results stand in the user's turn, all those of one reply together. */
export function toTurns(messages: readonly ChatMessage[]): MessageParam[] {
  const turns = messages.flatMap((message, index) =>
    message.role === 'system'
      ? []
      : [
          {
            role: message.role === 'assistant' ? ('assistant' as const) : ('user' as const),
            parts: toBlocks(messages, index),
          },
        ],
  );
  return mergeNeighbours(turns).map(({ role, parts }) => ({ role, content: parts }) as MessageParam);
}

/** The request, and whether it needs the older version of the API. */
export function toWireRequest(
  model: string,
  { messages, parameters, tools }: GenerateRequest,
  notice: Notice,
): { body: WireRequest; needsOlderVersion: boolean } {
  const classic = isClassic(model);
  const last = messages.at(-1);
  const thinking = thinkingOf(parameters, classic, last?.role === 'tool', notice);
  const { temperature } = parameters;
  if (temperature !== undefined && !classic) notice('the model takes no temperature; it is left out');
  // Thinking allows no temperature but the default.
  const withTemperature = temperature !== undefined && classic && thinking.thinking?.type !== 'enabled';
  const body: WireRequest = {
    model,
    ...thinking,
    messages: toTurns(messages),
    system: systemText(messages),
    // The range ends at 1 here, at 2 elsewhere.
    ...(withTemperature && { temperature: Math.min(temperature, 1) }),
    ...(tools !== undefined &&
      tools.length > 0 && {
        tools: tools.map(({ name, description, parameters: schema }) => ({
          name,
          description,
          input_schema: { ...schema, type: 'object' as const },
        })),
      }),
  };
  return { body, needsOlderVersion: withTemperature };
}

const FINISH_REASONS: Record<string, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

function usageIn({ usage }: Partial<Message>): Usage | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined;
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  return reportedUsage(
    [input_tokens, cache_creation_input_tokens ?? 0, cache_read_input_tokens ?? 0],
    [output_tokens],
  );
}

/**
 * Reads a `message`. Cached input counts as input: it was sent, and is billed, if at another rate.
 * @throws LanguageModelError (`malformed_reply`) where the body is none.
 */
export function readMessage(body: unknown): GenerateReply {
  const message = body as Partial<Message> | null | undefined;
  if (typeof message !== 'object' || message === null || !Array.isArray(message.content)) {
    const wrong = typeof body === 'object' && body !== null ? 'it has no content' : 'it is no JSON object';
    throw new LanguageModelError('malformed_reply', `anthropic sent no message: ${wrong}`, {
      provider: 'anthropic',
      ...(typeof message === 'object' && message !== null && { usage: usageIn(message) }),
    });
  }
  const calls = message.content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ id: block.id, name: block.name, arguments: JSON.stringify(block.input ?? {}) }]
      : [],
  );
  const usage = usageIn(message);
  return {
    text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(usage && { usage }),
    finish_reason: FINISH_REASONS[message.stop_reason ?? ''] ?? 'unknown',
    model: message.model || undefined,
  };
}
