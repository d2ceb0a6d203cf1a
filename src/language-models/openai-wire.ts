import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { isStrict } from '../config/response-format.js';
import { isCount } from '../contracts/incoming.js';
import { isMapping, type JsonObject } from '../contracts/json.js';
import type {
  AsGiven,
  ChatMessage,
  GenerateReply,
  GenerateRequest,
  ToolCall,
  Usage,
} from '../contracts/language-model.js';
import { sumOf } from '../statistics/sums.js';
import {
  ANY_SIGNATURE,
  argumentsText,
  effortOf,
  imagesOf,
  receivedArguments,
  SHORT_ID,
  sentId,
  sentName,
} from './chat-messages.js';
import { errorInsideBody } from './classify-error.js';
import { type Dialect, inDialect, isAnyObject } from './dialect.js';
import { LanguageModelError } from './errors.js';
import { type FailedEnd, failedEnd, readEnd } from './reply-end.js';
import { splitContent, thoughtIn } from './reply-parts.js';
import { tokensOfChoice } from './reply-tokens.js';
import { nameOfFormat, plainOptions, withExtraBody } from './request-options.js';
import { atTier, reportedUsage, withCacheWrites } from './usage.js';

type WireMessage = ChatCompletionCreateParamsNonStreaming['messages'][number];

function toWireMessage(
  message: ChatMessage,
  { tools, images }: Pick<GenerateRequest, 'tools' | 'images'>,
  { withoutThoughts, ids, unsigned }: Dialect,
): WireMessage {
  const { role, content, reasoning, as_given: given } = message;
  const idOf = (id: string) => (ids ? id : sentId(id, SHORT_ID));
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
  if (role === 'tool') return { role, content, tool_call_id: idOf(message.tool_call_id ?? '') };
  if (role !== 'assistant' || message.tool_calls === undefined || message.tool_calls.length === 0) {
    return { role, content, ...thoughts };
  }
  return {
    role,
    content: content === '' ? null : content,
    ...thoughts,
    ...(isMapping(given?.thoughts) && given.thoughts),
    tool_calls: message.tool_calls.map((call, index) => ({
      id: idOf(call.id),
      type: 'function',
      function: { name: sentName(call.name, tools), arguments: argumentsText(call.arguments) },
      // Only the first call of a reply has a signature.
      ...(given?.calls?.[index] ?? (!unsigned && index === 0 && STAND_IN)),
    })),
  };
}

/** {@link ANY_SIGNATURE} where Google's OpenAI-compatible address has it. */
const STAND_IN = { extra_content: { google: { thought_signature: ANY_SIGNATURE } } };

/** Converts a JSON Schema to OpenAI's structured output, named by its title; strict where OpenAI takes it so. */
function wireFormat(
  schema: JsonObject,
  { jsonSchema }: Dialect,
): ChatCompletionCreateParamsNonStreaming['response_format'] {
  if (!jsonSchema && isAnyObject(schema)) return { type: 'json_object' };
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
    ...(response_format !== undefined && { response_format: wireFormat(response_format, dialect) }),
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
  // The names of OpenAI's other protocol and of Anthropic's, which some gateways use here.
  const sent = usage.prompt_tokens ?? usage.input_tokens;
  const said = usage.completion_tokens ?? usage.output_tokens;
  const input = usage.prompt_tokens_details ?? usage.input_tokens_details;
  const details = usage.completion_tokens_details ?? usage.output_tokens_details;
  const thought = isMapping(details) ? details.reasoning_tokens : usage.reasoning_tokens;
  const beside = thoughtBeside(usage, thought);
  const cached = isMapping(input) ? input.cached_tokens : undefined;
  const reported = reportedUsage(
    // A gateway that reports more cached input than input has left it out.
    [sent, isCount(cached) && cached > Number(sent) ? cached : 0],
    [said, beside],
    beside === 0 ? thought : beside,
  );
  // OpenAI's, from GPT-5.6 on, which writes to its cache unasked.
  const written = withCacheWrites(reported, isMapping(input) ? input.cache_write_tokens : undefined);
  return atTier(written, (body as Record<string, unknown>).service_tier);
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
    arguments: typeof given === 'string' ? given : receivedArguments(given, false),
  };
}

/** Returns what stands beside a call and holds a signature, as Gemini's does behind gateways; null if nothing does. */
function besideCall(value: unknown): JsonObject | null {
  const {
    id: _id,
    type: _type,
    function: _asked,
    custom: _custom,
    ...beside
  } = isMapping(value) ? value : {};
  return /thought_?signature/i.test(JSON.stringify(beside)) ? (beside as JsonObject) : null;
}

/** Fields of a message that hold its thoughts. */
const THOUGHTS = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_details'] as const;

/** Returns what is sent back with the results of calls: the thoughts, where the server gave them, and signatures. */
function asGiven(message: Record<string, unknown>, calls: readonly unknown[]): AsGiven | undefined {
  const { thought } = splitContent(message.content);
  const names = THOUGHTS.filter((name) => !isEmpty(message[name]));
  const fields = [...names, ...(thought === '' ? [] : ['content'])].map((name) => [name, message[name]]);
  const beside = calls.map(besideCall);
  if (fields.length === 0 && beside.every((one) => one === null)) return undefined;
  return {
    ...(fields.length > 0 && { thoughts: Object.fromEntries(fields) as JsonObject }),
    ...(beside.some((one) => one !== null) && { calls: beside }),
  };
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

/**
 * Returns the calls of a message. A call without a name is ignored if there is a text or another call; otherwise it is
 * kept, so that the model is told of its mistake.
 */
function callsIn(
  { tool_calls, function_call }: Record<string, unknown>,
  said: string,
): { calls: ToolCall[]; given: unknown[] } {
  const listed = Array.isArray(tool_calls) ? tool_calls : [];
  // The protocol of 2023, which some servers still use.
  const asked = listed.length === 0 && isMapping(function_call) ? [{ function: function_call }] : listed;
  const named = asked.filter((call) => readCall(call).name !== '');
  const given = named.length > 0 || said !== '' ? named : asked;
  return { calls: given.map(readCall), given };
}

/** Returns the choice that ended the reply, or the problem of the body. */
function choiceIn(body: unknown): Choice | string {
  if (!isMapping(body)) return 'it is no JSON object (is base_url the address of an OpenAI-compatible API?)';
  const { choices } = body;
  if (!Array.isArray(choices)) return 'its field choices is missing';
  if (choices.length === 0) return 'its field choices is empty';
  const [first, ...others] = choices as unknown[];
  if (!hasMessage(first)) return 'its field choices.0.message is missing';
  const all = [first, ...others.filter(hasMessage)];
  const isSaid = ({ message }: Choice) => splitContent(message.content).said !== '';
  const said = all.find(isSaid) ?? first;
  // Copilot's gives the text and each call as choices of their own; one with a text is another reply.
  const calling = all.filter((choice) => !isSaid(choice) && !isEmpty(choice.message.tool_calls));
  const [ending] = calling;
  if (!isEmpty(said.message.tool_calls) || ending === undefined) return said;
  const tool_calls = calling.flatMap(({ message }) => message.tool_calls);
  return { ...ending, message: { ...said.message, tool_calls } };
}

type Choice = Record<string, unknown> & { message: Record<string, unknown> };

const hasMessage = (choice: unknown): choice is Choice => isMapping(choice) && isMapping(choice.message);

/** Origin of a reply, for its errors. */
interface Origin {
  provider: string;
  serverName: string;
  /** The request offered tools. */
  hasTools?: boolean;
  secrets?: readonly string[];
}

/**
 * Reads the parsed body of a `chat.completion`.
 * @throws LanguageModelError: `malformed_reply` that says what is missing, or another kind if the reply ended in a
 * failure.
 */
export function readWireReply(
  body: unknown,
  { provider, serverName, secrets, hasTools = false }: Origin,
): GenerateReply {
  const usage = usageIn(body);
  const origin = { provider, serverName, secrets, usage };
  const fault = errorInsideBody(body, origin);
  if (fault !== undefined) throw fault;
  const found = choiceIn(body);
  if (typeof found === 'string') {
    throw new LanguageModelError('malformed_reply', `${serverName} sent no chat completion: ${found}`, {
      provider,
      usage,
    });
  }
  const { message, ...choice } = found;
  const failed = (end: FailedEnd['end'], reason: string, words?: string) =>
    failedEnd({ ...origin, end, reason, words });
  const reason = `finish_reason ${JSON.stringify(choice.finish_reason ?? null)}`;
  const problem = errorInsideBody({ choices: [], error: choice.error || message.error }, origin);
  if (problem !== undefined) throw problem;
  const end = readEnd(choice.finish_reason);
  if (end === 'broken_off' || end === 'paused' || end === 'content_filter') throw failed(end, reason);

  const { said, thought } = splitContent(message.content);
  const { calls, given } = callsIn(message, said);
  const asksForTools = calls.length > 0;
  if (end === 'tool_calls' && hasTools && !asksForTools && said.trim() === '')
    throw failed('broken_off', `${reason} without any`);
  // The model's own words; what a filter withheld has a finish reason of its own.
  const refusal = said === '' && !asksForTools && typeof message.refusal === 'string' ? message.refusal : '';
  const fields = THOUGHTS.map((name) => thoughtIn(message[name]));
  const reasoning = [thought, ...fields].find((text) => text !== '');
  const returned = asksForTools ? asGiven(message, given) : undefined;
  const model = (body as Record<string, unknown>).model;
  const tokens = tokensOfChoice(choice);
  return {
    text: said === '' ? refusal : said,
    ...(reasoning !== undefined && { reasoning }),
    ...(asksForTools && { tool_calls: calls }),
    ...(returned && { as_given: returned }),
    ...(usage && { usage }),
    ...costIn(provider, body as Record<string, unknown>),
    ...(tokens && { tokens }),
    // Several servers report `stop` beside tool calls.
    finish_reason: asksForTools && end === 'stop' ? 'tool_calls' : end,
    model: typeof model === 'string' && model !== '' ? model : undefined,
  };
}
