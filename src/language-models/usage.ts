import type {
  ChatMessage,
  GenerateReply,
  GenerateRequest,
  ToolCall,
  Usage,
} from '../contracts/language-model.js';
import type { Unkept } from '../contracts/step-cost.js';
import type { LanguageModelError, LanguageModelErrorKind } from './errors.js';
import { isFree } from './prices.js';

/**
 * UTF-8 bytes of text to a token. English has about four, code and other alphabets fewer: so an estimate is rather too
 * high than too low. https://platform.openai.com/tokenizer
 */
const BYTES_PER_TOKEN = 3;
/** What a provider puts around a message: its role, and where it begins and ends. */
const TOKENS_PER_MESSAGE = 4;

/** Whether it counts something: a natural number. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/**
 * Tokens as a provider has reported them, in as many parts as it likes.
 * @param thought those of the output that the model thought with, where it says so.
 * @returns undefined where a part or a sum is no natural number: then it has reported none.
 */
export function reportedUsage(
  input: readonly unknown[],
  output: readonly unknown[],
  thought?: unknown,
): Usage | undefined {
  const [input_tokens, output_tokens] = [sumOfCounts(input), sumOfCounts(output)];
  if (input_tokens === null || output_tokens === null) return undefined;
  return { input_tokens, output_tokens, ...(isCount(thought) ? { reasoning_tokens: thought } : {}) };
}

function sumOfCounts(parts: readonly unknown[]): number | null {
  if (!parts.every(isCount)) return null;
  const sum = parts.reduce((total, part) => total + part, 0);
  return isCount(sum) ? sum : null;
}

/** What a text comes to, by its length. */
export function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

function tokensOfCalls(calls: readonly ToolCall[] | undefined): number {
  return calls === undefined || calls.length === 0 ? 0 : estimatedTokens(JSON.stringify(calls));
}

function tokensOfMessage({ content, tool_calls }: ChatMessage): number {
  return TOKENS_PER_MESSAGE + estimatedTokens(content) + tokensOfCalls(tool_calls);
}

/** What a request comes to, by its text. */
function estimatedInput({ messages, tools = [] }: GenerateRequest): number {
  const offered = tools.length === 0 ? 0 : estimatedTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + tokensOfMessage(message), offered);
}

/**
 * What a request and its reply come to, by their text. What a model has thought and not said is counted by the budget
 * that it was given for it, and not at all where it was given none.
 */
export function estimatedUsage(request: GenerateRequest, reply: GenerateReply): Usage {
  const { max_output_tokens = Number.MAX_SAFE_INTEGER, thinking_budget = 0 } = request.parameters;
  const said = estimatedTokens(reply.text) + tokensOfCalls(reply.tool_calls) + Math.max(thinking_budget, 0);
  // A reply that was cut off has come to its limit.
  const isCutOff = reply.finish_reason === 'length' && request.parameters.max_output_tokens !== undefined;
  const output_tokens = isCutOff ? max_output_tokens : Math.min(said, max_output_tokens);
  return { input_tokens: estimatedInput(request), output_tokens };
}

/** Whether a provider that says so may be believed: nobody answers a prompt of no tokens, or says something with none. */
function isPlausible({ input_tokens, output_tokens }: Usage, reply: GenerateReply): boolean {
  return input_tokens > 0 && (output_tokens > 0 || (reply.text === '' && reply.tool_calls === undefined));
}

/** The reply with its usage: what is not reported, or cannot be true, is estimated and says so. */
export function withUsage(request: GenerateRequest, reply: GenerateReply): GenerateReply {
  if (reply.usage !== undefined && isPlausible(reply.usage, reply)) return reply;
  return { ...reply, usage: estimatedUsage(request, reply), usage_estimated: true };
}

/** Of what has no status: the request was sent, and its reply did not come, or is none. */
const CUT_OFF: readonly LanguageModelErrorKind[] = [
  'timeout',
  'connection',
  'cancelled',
  'malformed_reply',
  'broken_off',
  'content_filter',
  'reply_too_long',
  'unknown',
];
const NONE: Usage = { input_tokens: 0, output_tokens: 0 };

/**
 * What a request without a reply may be billed at most; null where it was never sent. One that the provider has refused
 * costs nothing; of one that is cut off nobody knows how far the model had come.
 */
export function usageOfFailure(request: GenerateRequest, error: LanguageModelError): Usage | null {
  const { kind, provider, status, usage, isUnsent } = error;
  if (usage !== undefined) return usage;
  if (status !== undefined) return NONE;
  // Whatever else has no status was found before anything was sent, such as a key that is missing.
  if (isUnsent || !CUT_OFF.includes(kind)) return null;
  return isFree(provider) ? NONE : mostUsage(request);
}

/** What a request and its reply may come to at most, as far as its limit is known. */
export function mostUsage(request: GenerateRequest): Usage {
  return {
    input_tokens: estimatedInput(request),
    output_tokens: request.parameters.max_output_tokens ?? 0,
  };
}

/** A model whose calls have a price. */
interface Priced {
  costOf(usage: Usage): number | null;
}

/** What tokens of a model cost; none cost nothing, whatever the price. */
export function priceOf(model: Priced, usage: Usage): Omit<Unkept, 'requests'> {
  const isNone = usage.input_tokens === 0 && usage.output_tokens === 0;
  return { usage, cost_usd: isNone ? 0 : model.costOf(usage) };
}

/** What a request without a reply may have cost; null where it was never sent. */
export function unkeptOf(model: Priced, request: GenerateRequest, error: LanguageModelError): Unkept | null {
  const usage = usageOfFailure(request, error);
  return usage === null ? null : { requests: 1, ...priceOf(model, usage) };
}
