import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { z } from 'zod';
import type {
  CallIdentity,
  ChatMessage,
  FinishReason,
  GenerateReply,
  GenerateRequest,
  Usage,
} from '../contracts/language-model.js';
import { effortOf, toolCallId } from './chat-messages.js';
import { LanguageModelError } from './errors.js';
import type { Dialect } from './openai-dialect.js';
import { reportedUsage } from './usage.js';

type WireMessage = ChatCompletionCreateParamsNonStreaming['messages'][number];

function toWireMessage(message: ChatMessage): WireMessage {
  const { role, content } = message;
  if (role === 'tool') return { role, content, tool_call_id: message.tool_call_id ?? '' };
  if (role !== 'assistant' || message.tool_calls === undefined || message.tool_calls.length === 0) {
    return { role, content };
  }
  return {
    role,
    content: content === '' ? null : content,
    tool_calls: message.tool_calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  };
}

/** The request as `POST /chat/completions` wants it. */
export function toWireRequest(
  model: string,
  { messages, parameters, tools }: GenerateRequest,
  dialect: Dialect,
): ChatCompletionCreateParamsNonStreaming {
  const { temperature, max_output_tokens, thinking_budget } = parameters;
  const budget = thinking_budget ?? -1;
  return {
    model,
    messages: messages.map(toWireMessage),
    ...(temperature !== undefined && dialect.sendTemperature && { temperature }),
    ...(max_output_tokens !== undefined && { [dialect.tokenField]: max_output_tokens }),
    ...(budget >= 0 && dialect.sendEffort && { reasoning_effort: budget === 0 ? 'none' : effortOf(budget) }),
    ...(tools !== undefined &&
      tools.length > 0 && {
        tools: tools.map((tool) => ({ type: 'function' as const, function: { ...tool } })),
      }),
  };
}

/** Tolerant on purpose: vLLM, Ollama, llama.cpp and the gateways each leave out or add something. */
const replySchema = z.object({
  model: z.string().optional().catch(undefined),
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.union([z.string(), z.array(z.object({ text: z.string().optional() }))]).nullish(),
          refusal: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                id: z.string().nullish(),
                function: z.object({ name: z.string(), arguments: z.unknown() }),
              }),
            )
            .nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1, 'is empty'),
});

const usageSchema = z.object({
  usage: z.object({ prompt_tokens: z.unknown(), completion_tokens: z.unknown() }),
});

function usageIn(body: unknown): Usage | undefined {
  const { data } = usageSchema.safeParse(body);
  return data && reportedUsage([data.usage.prompt_tokens], [data.usage.completion_tokens]);
}

const FINISH_REASONS: Record<string, FinishReason> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
};

/**
 * Reads the parsed body of a `chat.completion`.
 * @throws LanguageModelError (`malformed_reply`) that says what is missing.
 */
export function readWireReply(body: unknown, call: CallIdentity, serverName: string): GenerateReply {
  const parsed = replySchema.safeParse(body);
  const choice = parsed.data?.choices[0];
  if (parsed.error !== undefined || choice === undefined) {
    const issue = parsed.error?.issues[0];
    const wrong =
      typeof body === 'object' && body !== null
        ? `its field ${issue?.path.join('.') || 'choices'} ${issue?.message ?? 'is missing'}`
        : 'it is no JSON object (is base_url the address of an OpenAI-compatible API?)';
    throw new LanguageModelError('malformed_reply', `${serverName} sent no chat completion: ${wrong}`, {
      provider: 'openai',
      usage: usageIn(body),
    });
  }
  const { content, refusal, tool_calls } = choice.message;
  const parts = typeof content === 'string' ? content : content?.map((part) => part.text ?? '').join('');
  const calls = tool_calls?.map((asked, index) => ({
    id: asked.id || toolCallId(call, index),
    name: asked.function.name,
    arguments:
      typeof asked.function.arguments === 'string'
        ? asked.function.arguments
        : JSON.stringify(asked.function.arguments ?? {}),
  }));
  const refused = typeof refusal === 'string' && refusal !== '' && !parts;
  const reported = FINISH_REASONS[choice.finish_reason ?? ''] ?? 'unknown';
  const asksForTools = calls !== undefined && calls.length > 0;
  const usage = usageIn(body);
  return {
    text: refused ? refusal : (parts ?? ''),
    ...(asksForTools && { tool_calls: calls }),
    ...(usage && { usage }),
    // Several servers report `stop` beside tool calls.
    finish_reason: refused ? 'content_filter' : asksForTools && reported === 'stop' ? 'tool_calls' : reported,
    model: parsed.data?.model || undefined,
  };
}
