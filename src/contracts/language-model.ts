import type { StepAnswer } from './environment.js';
import type { Json } from './json.js';
import type { Unkept } from './step-cost.js';

/** Who speaks in a chat. */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** One tool call a model asked for. `arguments` is the JSON text exactly as the model wrote it. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** One message of a chat, in the form that every provider adapter translates. */
export interface ChatMessage {
  role: Role;
  content: string;
  /** On an assistant message: the calls it asked for. */
  tool_calls?: ToolCall[];
  /** On a tool message: the call it answers. */
  tool_call_id?: string;
}

/** A tool offered to the model; `parameters` is a JSON Schema object. */
export interface ToolDefinition {
  name: string;
  description?: string;
  parameters: { [key: string]: Json };
}

/** What a call is for. A recording is looked up by it, so the list is part of the format. */
export const PURPOSES = [
  'act',
  'reflect',
  'curate',
  'synthesize',
  'generate',
  'evolve',
  'executor',
  'agent',
  'user',
  'judge',
] as const;
export type Purpose = (typeof PURPOSES)[number];

/** Names one LM call within an experiment. `trial` and `ordinal` count from 0; `ordinal` within sample, trial and purpose. */
export interface CallIdentity {
  sample_id: string;
  trial: number;
  purpose: Purpose;
  ordinal: number;
}

/** Sampling parameters of one call. A field left out takes the provider's default. */
export interface GenerateParameters {
  temperature?: number;
  /** Upper bound of generated tokens, thinking included where the provider counts it so. */
  max_output_tokens?: number;
  /** Asks for the log probability of each token of the reply, and of so many likeliest ones at its place. */
  logprobs?: number;
  /** Tokens the model may think for; 0 turns thinking off, -1 lets the model decide (Gemini). */
  thinking_budget?: number;
}

/** Tokens as the provider billed them: natural numbers. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  /** Those of `output_tokens` that the model thought with; absent where the provider does not say. */
  reasoning_tokens?: number;
}

/** The tokens that a reply is made of, as far as the provider sends them: lists of the same length, in order. */
export interface ReplyTokens {
  token_ids?: number[];
  tokens?: string[];
  /** Natural logarithms. */
  logprobs?: number[];
  /** At each place the likeliest tokens, and theirs. */
  top_tokens?: string[][];
  top_logprobs?: number[][];
}

/** Why the model stopped. `length` means the reply was cut off at the token limit. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'unknown';

export interface GenerateRequest {
  messages: ChatMessage[];
  parameters: GenerateParameters;
  tools?: ToolDefinition[];
  call: CallIdentity;
}

export interface GenerateReply {
  /** What the model says; may be empty. In an adapter's reply thoughts that the model marks as such stand in it as well. */
  text: string;
  /** What the model thought before it said it: from a field of the provider's own, or from marks in its text. */
  reasoning?: string;
  /** The model wrote nothing but thoughts, marked as such: it has no answer. */
  only_thought?: true;
  tool_calls?: ToolCall[];
  /** Absent where the provider did not report it. */
  usage?: Usage;
  /** The provider did not report `usage`: it is estimated from the text. */
  usage_estimated?: boolean;
  finish_reason: FinishReason;
  /** What was asked for with `logprobs`; absent: the provider sent none. */
  tokens?: ReplyTokens;
  /** How it was sent otherwise than it was asked for, a sentence each; absent: it was not. */
  adapted?: string[];
  /** The model that answered, where the provider names one more precisely than it was asked for. */
  model?: string;
  /** US dollars, where a recording knows it; computed from the price table otherwise. */
  cost_usd?: number | null;
}

/** Options that belong to one attempt, not to the request. */
export interface GenerateOptions {
  /** Aborts the request; the adapter rejects with whatever its client throws. */
  signal?: AbortSignal;
  /** Sent as an idempotency key where the protocol has one, so that a provider can recognise a repeat. */
  idempotencyKey?: string;
}

/**
 * A language model behind any provider. One request, one reply: no retries, no caching, no rate limit.
 * Rejects with a `LanguageModelError` (see `language-models/errors.ts`).
 */
export interface LanguageModel {
  generate(request: GenerateRequest, options?: GenerateOptions): Promise<GenerateReply>;
}

/** A row of `calls.jsonl`: one answered LM call. A recording that `replay` reads has the same rows. */
export interface CallRecord extends CallIdentity {
  /** The environment step that the call belongs to, from 0; absent outside of an episode. */
  step?: number;
  /** Hash of model, parameters, messages and identity; names the call across crashes. */
  key: string;
  model: string;
  text: string;
  /** What the model thought before it said `text`; absent where nothing is known of it. */
  reasoning?: string;
  /** The model wrote nothing but thoughts: its empty `text` is its own, and no fault of the provider's. */
  only_thought?: true;
  tool_calls?: ToolCall[];
  finish_reason: FinishReason;
  /** Absent where none were asked for, or sent. */
  tokens?: ReplyTokens;
  /** How it was sent otherwise than `messages` and `parameters` say, a sentence each; absent: it was not. */
  adapted?: string[];
  usage?: Usage;
  /** The provider did not report `usage`: it is estimated from the text, and so is what follows from it. */
  usage_estimated?: boolean;
  /** US dollars; `null` where the model's price is not known. */
  cost_usd: number | null;
  /** Milliseconds from sending the request to the reply. */
  latency_ms: number;
  messages: ChatMessage[];
  /** Those that the model was offered; absent where there was none. */
  tools?: ToolDefinition[];
  parameters: GenerateParameters;
  /** Requests this call has sent to the provider at most, the answered one included. */
  attempts: number;
  /** Those of them that a crash or a freeze cut off: known to have been sent, and so paid twice. */
  repeated: number;
  /** Those of them that had perhaps not been sent yet when a crash cut them off; absent: none. */
  maybe_repeated?: number;
  /** The reply came from the shared cache (`lm.cache`): nothing was paid. */
  cached?: boolean;
  /** ISO 8601, when the reply arrived. */
  at: string;
}

/** What the workflow learns of an answered call; the whole record is in the artifact store. */
export interface GeneratedReply extends Omit<GenerateReply, 'model' | 'cost_usd' | 'adapted'> {
  /** US dollars; absent where the price is not known. */
  cost_usd?: number;
  /** Requests that a crash cut off, and those that it may have cut off; absent where there was none. */
  repeated?: number;
  maybe_repeated?: number;
  /** An earlier execution has paid for it, and the run's totals began with it; absent where that is not so. */
  counted?: true;
  /** What this activity has sent beside the request that was answered; absent where there was nothing. */
  unkept?: Unkept;
  /** The environment's answer to `text` as an action, where the input asked for it. */
  step?: StepAnswer;
}
