import { isOffline } from '../config/providers.js';
import { isCount } from '../contracts/incoming.js';
import type {
  ChatMessage,
  GenerateReply,
  GenerateRequest,
  ToolCall,
  Usage,
} from '../contracts/language-model.js';
import type { Unrecorded } from '../contracts/step-cost.js';
import type { LanguageModelError, LanguageModelErrorKind } from './errors.js';

/**
 * UTF-8 bytes per token. English has about four, code and other alphabets fewer, so estimates are too high rather than
 * too low. https://platform.openai.com/tokenizer
 */
const BYTES_PER_TOKEN = 3;
/** Tokens that a provider adds to a message: its role, its beginning and its end. */
const TOKENS_PER_MESSAGE = 4;

/**
 * Sums tokens that a provider has reported in several parts.
 * @param thought output tokens of thoughts, if they are reported.
 * @returns undefined if a part or a sum is no natural number: then there is no report.
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

/** Adds the tokens that a provider reports to have written to a cache, and those that it keeps for an hour. */
export function withCacheWrites(
  usage: Usage | undefined,
  written: unknown,
  forAnHour?: unknown,
): Usage | undefined {
  const isSome = (tokens: unknown): tokens is number => isCount(tokens) && tokens > 0;
  if (usage === undefined || !isSome(written)) return usage;
  return {
    ...usage,
    cache_write_tokens: written,
    ...(isSome(forAnHour) && { cache_write_1h_tokens: forAnHour }),
  };
}

function sumOfCounts(parts: readonly unknown[]): number | null {
  if (!parts.every(isCount)) return null;
  const sum = parts.reduce((total, part) => total + part, 0);
  return isCount(sum) ? sum : null;
}

/** Estimates the tokens of a text from its length. */
export function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

function tokensOfCalls(calls: readonly ToolCall[] | undefined): number {
  return calls === undefined || calls.length === 0 ? 0 : estimatedTokens(JSON.stringify(calls));
}

function tokensOfMessage({ content, tool_calls }: ChatMessage): number {
  return TOKENS_PER_MESSAGE + estimatedTokens(content) + tokensOfCalls(tool_calls);
}

/** Estimates the input tokens of a request. */
function estimatedInput({ messages, tools = [] }: GenerateRequest): number {
  const offered = tools.length === 0 ? 0 : estimatedTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + tokensOfMessage(message), offered);
}

/**
 * Estimates the usage of a call from its texts. Hidden thoughts count as the whole thinking budget; without a budget
 * they do not count.
 */
export function estimatedUsage(request: GenerateRequest, reply: GenerateReply): Usage {
  const { max_output_tokens = Number.MAX_SAFE_INTEGER, thinking_budget = 0 } = request.parameters;
  const said = estimatedTokens(reply.text) + tokensOfCalls(reply.tool_calls) + Math.max(thinking_budget, 0);
  // A reply that was cut off has used its whole limit.
  const isCutOff = reply.finish_reason === 'length' && request.parameters.max_output_tokens !== undefined;
  const output_tokens = isCutOff ? max_output_tokens : Math.min(said, max_output_tokens);
  return { input_tokens: estimatedInput(request), output_tokens };
}

/** Reports whether a reported usage is plausible: every prompt has tokens, and so has every reply that is not empty. */
function isPlausible({ input_tokens, output_tokens }: Usage, reply: GenerateReply): boolean {
  return input_tokens > 0 && (output_tokens > 0 || (reply.text === '' && reply.tool_calls === undefined));
}

/** Returns a reply with its usage; a missing or implausible one is replaced by an estimate, which is marked. */
export function withUsage(request: GenerateRequest, reply: GenerateReply): GenerateReply {
  if (reply.usage !== undefined && isPlausible(reply.usage, reply)) return reply;
  return { ...reply, usage: estimatedUsage(request, reply), usage_estimated: true };
}

/** Failures without a status of requests that were sent: the reply was not received, or is invalid. */
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
 * Returns the maximum usage that may be billed for a request without a reply; null if it was never sent. A request that
 * the provider refused costs nothing; how far the model got with an interrupted one is unknown.
 */
export function usageOfFailure(request: GenerateRequest, error: LanguageModelError): Usage | null {
  const { kind, provider, status, usage, isUnsent } = error;
  if (usage !== undefined) return usage;
  if (status !== undefined) return NONE;
  // All other failures without a status occur before anything is sent, such as a missing key.
  if (isUnsent || !CUT_OFF.includes(kind)) return null;
  return isOffline(provider) ? NONE : mostUsage(request);
}

/** Returns the maximum usage of a request and its reply, as far as the reply's limit is known. */
export function mostUsage(request: GenerateRequest): Usage {
  return {
    input_tokens: estimatedInput(request),
    output_tokens: request.parameters.max_output_tokens ?? 0,
  };
}

/** Model whose calls have a price. */
interface Priced {
  costOf(usage: Usage): number | null;
}

/** Returns the cost of a usage of a model; no tokens cost nothing, whatever the price. */
export function priceOf(model: Priced, usage: Usage): Omit<Unrecorded, 'requests'> {
  const isNone = usage.input_tokens === 0 && usage.output_tokens === 0;
  return { usage, cost_usd: isNone ? 0 : model.costOf(usage) };
}

/** Returns the possible cost of a request without a reply; null if it was never sent. */
export function unrecordedOf(
  model: Priced,
  request: GenerateRequest,
  error: LanguageModelError,
): Unrecorded | null {
  const usage = usageOfFailure(request, error);
  return usage === null ? null : { requests: 1, ...priceOf(model, usage) };
}
