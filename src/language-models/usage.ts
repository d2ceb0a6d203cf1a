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
  if (!isCount(thought)) return { input_tokens, output_tokens };
  // A part is never larger than its whole: such thoughts are counted beside it.
  const isBeside = thought > output_tokens;
  return {
    input_tokens,
    output_tokens: isBeside ? output_tokens + thought : output_tokens,
    reasoning_tokens: thought,
  };
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

/** Adds the tier that a provider names. */
export function atTier(usage: Usage | undefined, tier: unknown): Usage | undefined {
  return usage === undefined || typeof tier !== 'string'
    ? usage
    : { ...usage, service_tier: tier.toLowerCase() };
}

/** Tiers at the listed prices. */
const STANDARD_TIERS = ['', 'auto', 'default', 'on_demand', 'standard', 'standard_only'];

/** Returns the tier that a request asks for, where its price is another one. */
export function tierAsked({ extra_body }: { extra_body?: Record<string, unknown> }): string | undefined {
  const tier = extra_body?.service_tier;
  return typeof tier === 'string' && !STANDARD_TIERS.includes(tier) ? tier : undefined;
}

/** Leaves out a tier at the listed prices; one that is asked for counts where the reply names none. */
function atPricedTier({ service_tier: told, ...usage }: Usage, { parameters }: GenerateRequest): Usage {
  const tier = told ?? tierAsked(parameters);
  return tier === undefined || STANDARD_TIERS.includes(tier) ? usage : { ...usage, service_tier: tier };
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
 * Estimates the usage of a call from its texts. Thoughts count as the whole thinking budget, or as what is shown of them
 * where that is more; hidden ones without a budget do not count.
 */
export function estimatedUsage(request: GenerateRequest, reply: GenerateReply): Usage {
  const { max_output_tokens = Number.MAX_SAFE_INTEGER, thinking_budget = 0 } = request.parameters;
  const thought = Math.max(estimatedTokens(reply.reasoning ?? ''), thinking_budget, 0);
  const said = estimatedTokens(reply.text) + tokensOfCalls(reply.tool_calls) + thought;
  // A reply that was cut off has used its whole limit.
  const isCutOff = reply.finish_reason === 'length' && request.parameters.max_output_tokens !== undefined;
  const output_tokens = isCutOff ? max_output_tokens : Math.min(said, max_output_tokens);
  return { input_tokens: estimatedInput(request), output_tokens };
}

/** Reports whether a reported usage is plausible: every prompt has tokens, and so has every reply that is not empty. */
function isPlausible({ input_tokens, output_tokens }: Usage, reply: GenerateReply): boolean {
  const { text, reasoning = '', tool_calls } = reply;
  return input_tokens > 0 && (output_tokens > 0 || (text + reasoning === '' && tool_calls === undefined));
}

/** Characters that several of one token may share, in scripts without spaces, and words, which are a token at least. */
const LEAST_TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,4}|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;
/** Words from which on a prompt is compared with the reported tokens, and the share of them that a server has read. */
const LONG_PROMPT = 1000;
const SHARE_READ = 0.8;
const PROMPT_CUT =
  'the server reports fewer input tokens than the prompt has words, so it has most likely read a part of it only: raise its context length (OLLAMA_CONTEXT_LENGTH of Ollama)';

/** Reports whether a server has read only a part of a prompt, as one with a small context does without a word. */
function isPromptCut({ messages }: GenerateRequest, { input_tokens }: Usage): boolean {
  const words = messages.reduce((sum, { content }) => sum + (content.match(LEAST_TOKEN)?.length ?? 0), 0);
  return words >= LONG_PROMPT && input_tokens < words * SHARE_READ;
}

const isJson = ({ arguments: text }: ToolCall) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Limit from which on a reply that ends by itself has hardly ever just as many tokens. */
const LEAST_LIMIT = 64;

/**
 * Reports whether a reply has just as many tokens as it may have: then its limit cut it off, whatever word the server
 * has for it. Tool calls that are whole were not cut off, and of a small limit the server's `stop` is believed.
 */
function isAtLimit(
  { parameters: { max_output_tokens: limit = Number.POSITIVE_INFINITY } }: GenerateRequest,
  { finish_reason, tool_calls = [] }: GenerateReply,
  { output_tokens, reasoning_tokens = 0 }: Usage,
): boolean {
  const isWhole =
    tool_calls.length > 0 ? tool_calls.every(isJson) : finish_reason === 'stop' && limit < LEAST_LIMIT;
  if (finish_reason === 'length' || isWhole) return false;
  return output_tokens === limit || output_tokens - reasoning_tokens === limit;
}

/**
 * Returns a reply with its usage, and with what that tells of it; a missing or implausible usage is replaced by an
 * estimate, which is marked.
 */
export function withUsage(request: GenerateRequest, reply: GenerateReply): GenerateReply {
  const { usage, adapted = [] } = reply;
  if (usage === undefined || !isPlausible(usage, reply)) {
    const { service_tier } = usage ?? {};
    const estimated = atPricedTier({ ...estimatedUsage(request, reply), service_tier }, request);
    return { ...reply, usage: estimated, usage_estimated: true };
  }
  const billed = atPricedTier(usage, request);
  const isOther = ![undefined, tierAsked(request.parameters)].includes(billed.service_tier);
  const said = isPromptCut(request, usage) ? [PROMPT_CUT] : [];
  if (isOther)
    said.push(`the server answered at the tier ${billed.service_tier}, which may have another price`);
  return {
    ...reply,
    usage: billed,
    ...(isAtLimit(request, reply, usage) && { finish_reason: 'length' }),
    ...(said.length > 0 && { adapted: [...adapted, ...said] }),
  };
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
export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0 };
/** Statuses by which a server or its gateway gives up on a model that may be at work. */
const GIVEN_UP = [408, 499, 504, 524];
/** Google's, which bill no request that fails: https://ai.google.dev/gemini-api/docs/billing */
const FREE_OF_FAILURES = ['gemini', 'vertex'];

/**
 * Returns the maximum usage that may be billed for a request without a reply; null if it was never sent. A request that
 * the provider refused costs nothing; how far the model got with an interrupted or timed-out one is unknown.
 */
export function usageOfFailure(request: GenerateRequest, error: LanguageModelError): Usage | null {
  const { kind, provider, status, usage, isUnsent } = error;
  if (usage !== undefined) return usage;
  if (status !== undefined && (!GIVEN_UP.includes(status) || FREE_OF_FAILURES.includes(provider)))
    return NO_USAGE;
  // All other failures without a status occur before anything is sent, such as a missing key.
  if (status === undefined && (isUnsent || !CUT_OFF.includes(kind))) return null;
  return isOffline(provider) ? NO_USAGE : mostUsage(request);
}

/** Returns the maximum usage of a request and its reply, as far as the reply's limit is known. */
export function mostUsage(request: GenerateRequest): Usage {
  const most = {
    input_tokens: estimatedInput(request),
    output_tokens: request.parameters.max_output_tokens ?? 0,
  };
  return atPricedTier(most, request);
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
