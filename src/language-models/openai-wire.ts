import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { isStrict } from '../config/response-format.js';
import { isCount } from '../contracts/incoming.js';
import { isMapping, type JsonObject } from '../contracts/json.js';
import type {
  ChatMessage,
  GenerateReply,
  GenerateRequest,
  ToolCall,
  Usage,
} from '../contracts/language-model.js';
import { sumOf } from '../statistics/sums.js';
import { argumentsText, effortOf, imagesOf, sentName } from './chat-messages.js';
import { errorInsideBody } from './classify-error.js';
import { type Dialect, inDialect } from './dialect.js';
import { LanguageModelError } from './errors.js';
import { type FailedEnd, failedEnd, readEnd } from './reply-end.js';
import { splitContent, thoughtIn } from './reply-parts.js';
import { tokensOfChoice } from './reply-tokens.js';
import { nameOfFormat, plainOptions, withExtraBody } from './request-options.js';
import { reportedUsage, withCacheWrites } from './usage.js';

type WireMessage = ChatCompletionCreateParamsNonStreaming['messages'][number];

function toWireMessage(
  message: ChatMessage,
  { tools, images }: Pick<GenerateRequest, 'tools' | 'images'>,
  { withoutThoughts }: Dialect,
): WireMessage {
  const { role, content, reasoning } = message;
  // DeepSeek's and Moonshot's field, which the protocol does not have.
  const thoughts = withoutThoughts || reasoning === undefined ? {} : { reasoning_content: reasoning };
  if (role === 'user' && message.images !== undefined) {
    const shown = imagesOf(message, images).map(({ media_type, base64 }) => ({
      type: 'image_url' as const,
      image_url: { url: `data:${media_type};base64,${base64}` },
    }));
    return {
      role,
      content: [...shown, ...(content === '' ? [] : [{ type: 'text' as const, text: content }])],
    };
  }
  if (role === 'tool') return { role, content, tool_call_id: message.tool_call_id ?? '' };
  if (role !== 'assistant' || message.tool_calls === undefined || message.tool_calls.length === 0) {
    return { role, content, ...thoughts };
  }
  return {
    role,
    content: content === '' ? null : content,
    ...thoughts,
    tool_calls: message.tool_calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: sentName(call.name, tools), arguments: argumentsText(call.arguments) },
    })),
  };
}

/** Converts a JSON Schema to OpenAI's structured output, named by its title; strict where OpenAI takes it so. */
function wireFormat(schema: JsonObject): ChatCompletionCreateParamsNonStreaming['response_format'] {
  return {
    type: 'json_schema',
    json_schema: { name: nameOfFormat(schema), strict: isStrict(schema), schema },
  };
}

/** Converts a request to the body of `POST /chat/completions`. */
export function toWireRequest(
  model: string,
  { messages, parameters, tools, images }: GenerateRequest,
  dialect: Dialect,
): ChatCompletionCreateParamsNonStreaming {
  const { max_output_tokens, thinking_budget, reasoning_effort, logprobs, response_format } = parameters;
  const budget = reasoning_effort === undefined ? (thinking_budget ?? -1) : -1;
  const body: ChatCompletionCreateParamsNonStreaming = {
    model,
    messages: inDialect(messages, dialect).map((message) =>
      toWireMessage(message, { tools, images }, dialect),
    ),
    ...plainOptions('openai', parameters, dialect),
    ...(max_output_tokens !== undefined && { [dialect.tokenField]: max_output_tokens }),
    ...(logprobs !== undefined &&
      dialect.logprobs && { logprobs: true, ...(logprobs > 0 && { top_logprobs: logprobs }) }),
    // vLLM's option; other servers ignore it, or refuse it and get the request without it.
    ...(logprobs !== undefined && dialect.tokenIds && { return_token_ids: true }),
    ...(budget >= 0 &&
      dialect.thinking_budget && { reasoning_effort: budget === 0 ? 'none' : effortOf(budget) }),
    ...(response_format !== undefined && { response_format: wireFormat(response_format) }),
    ...(tools !== undefined &&
      tools.length > 0 && {
        tools: tools.map((tool) => ({ type: 'function' as const, function: { ...tool } })),
      }),
  };
  return withExtraBody(body, parameters.extra_body);
}

function usageIn(body: unknown): Usage | undefined {
  const usage = isMapping(body) && isMapping(body.usage) ? body.usage : undefined;
  if (usage === undefined) return undefined;
  const { prompt_tokens, completion_tokens, prompt_tokens_details: input } = usage;
  const { completion_tokens_details: details } = usage;
  const thought = isMapping(details) ? details.reasoning_tokens : usage.reasoning_tokens;
  const beside = thoughtBeside(usage, thought);
  const reported = reportedUsage(
    [prompt_tokens],
    [completion_tokens, beside],
    beside === 0 ? thought : beside,
  );
  // OpenAI's, from GPT-5.6 on, which writes to its cache unasked.
  return withCacheWrites(reported, isMapping(input) ? input.cache_write_tokens : undefined);
}

/**
 * Returns the tokens of thoughts that `completion_tokens` leaves out: xAI's and Gemini's count them in `total_tokens`
 * alone. https://docs.x.ai/docs/guides/reasoning
 */
function thoughtBeside(usage: Record<string, unknown>, thought: unknown): number {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details: input } = usage;
  const beside = Number(total_tokens) - Number(prompt_tokens) - Number(completion_tokens);
  if (!(beside > 0)) return 0;
  // A gateway may leave something else out, such as cached input.
  const isUnreported = !isCount(thought) && !isMapping(input);
  return beside === thought || isUnreported ? beside : 0;
}

/**
 * Returns what OpenRouter says that a reply cost, in US dollars: its price depends on who served it. With the user's own
 * key at a vendor, that vendor is paid beside OpenRouter. https://openrouter.ai/docs/use-cases/usage-accounting
 */
function costIn(provider: string, { usage }: Record<string, unknown>): Pick<GenerateReply, 'cost_usd'> {
  if (provider !== 'openrouter' || !isMapping(usage)) return {};
  const { cost, is_byok, cost_details: details } = usage;
  const parts = is_byok === true ? [cost, isMapping(details) && details.upstream_inference_cost] : [cost];
  const isKnown = (part: unknown): part is number => typeof part === 'number' && part >= 0;
  return parts.every(isKnown) ? { cost_usd: sumOf(parts) } : {};
}

/** Reads one tool call; its name is empty if the call names no tool. */
function readCall(value: unknown): ToolCall {
  const { id, function: asked, custom } = isMapping(value) ? value : {};
  const called = [asked, custom].find(isMapping) ?? {};
  const given = called.arguments ?? called.input ?? '';
  return {
    id: typeof id === 'string' ? id : '',
    name: typeof called.name === 'string' ? called.name.trim() : '',
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  };
}

/**
 * Returns the calls of a message. A call without a name is ignored if there is a text or another call; otherwise it is
 * kept, so that the model is told of its mistake.
 */
function callsIn({ tool_calls, function_call }: Record<string, unknown>, said: string): ToolCall[] {
  const listed = Array.isArray(tool_calls) ? tool_calls : [];
  // The protocol of 2023, which some servers still use.
  const asked = listed.length === 0 && isMapping(function_call) ? [{ function: function_call }] : listed;
  const calls = asked.map(readCall);
  const named = calls.filter(({ name }) => name !== '');
  return named.length > 0 || said !== '' ? named : calls;
}

/** Returns the first choice and its message, or the problem of the body. */
function choiceIn(
  body: unknown,
): { choice: Record<string, unknown>; message: Record<string, unknown> } | string {
  if (!isMapping(body)) return 'it is no JSON object (is base_url the address of an OpenAI-compatible API?)';
  const { choices } = body;
  if (!Array.isArray(choices)) return 'its field choices is missing';
  const [choice] = choices as unknown[];
  if (choices.length === 0) return 'its field choices is empty';
  if (!isMapping(choice) || !isMapping(choice.message)) return 'its field choices.0.message is missing';
  return { choice, message: choice.message };
}

/** Origin of a reply, for its errors. */
interface Origin {
  provider: string;
  serverName: string;
  secrets?: readonly string[];
}

/**
 * Reads the parsed body of a `chat.completion`.
 * @throws LanguageModelError: `malformed_reply` that says what is missing, or another kind if the reply ended in a
 * failure.
 */
export function readWireReply(body: unknown, { provider, serverName, secrets }: Origin): GenerateReply {
  const usage = usageIn(body);
  const origin = { provider, serverName, secrets, usage };
  const refusal = errorInsideBody(body, origin);
  if (refusal !== undefined) throw refusal;
  const found = choiceIn(body);
  if (typeof found === 'string') {
    throw new LanguageModelError('malformed_reply', `${serverName} sent no chat completion: ${found}`, {
      provider,
      usage,
    });
  }
  const { choice, message } = found;
  const failed = (end: FailedEnd['end'], reason: string, words?: string) =>
    failedEnd({ ...origin, end, reason, words });
  const reason = `finish_reason ${JSON.stringify(choice.finish_reason ?? null)}`;
  const problem = errorInsideBody({ choices: [], error: choice.error || message.error }, origin);
  if (problem !== undefined) throw problem;
  const end = readEnd(choice.finish_reason);
  if (end === 'broken_off' || end === 'paused' || end === 'content_filter') throw failed(end, reason);

  const { said, thought } = splitContent(message.content);
  const calls = callsIn(message, said);
  const asksForTools = calls.length > 0;
  if (typeof message.refusal === 'string' && message.refusal !== '' && said === '' && !asksForTools) {
    throw failed('content_filter', 'refusal', message.refusal);
  }
  const fields = [message.reasoning_content, message.reasoning, message.thinking, message.reasoning_details];
  const reasoning = [thought, ...fields.map(thoughtIn)].find((text) => text !== '');
  const model = (body as Record<string, unknown>).model;
  const tokens = tokensOfChoice(choice);
  return {
    text: said,
    ...(reasoning !== undefined && { reasoning }),
    ...(asksForTools && { tool_calls: calls }),
    ...(usage && { usage }),
    ...costIn(provider, body as Record<string, unknown>),
    ...(tokens && { tokens }),
    // Several servers report `stop` beside tool calls.
    finish_reason: asksForTools && end === 'stop' ? 'tool_calls' : end,
    model: typeof model === 'string' && model !== '' ? model : undefined,
  };
}
