import type { StepAnswer } from './environment.js';
import type { Json, JsonObject } from './json.js';
import type { Unrecorded } from './step-cost.js';

/** Role of the author of a message. */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** Tool call that a model requested. `arguments` is the JSON text exactly as the model wrote it. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** Image of a message. Its content is in the experiment's folder. */
export interface ImageReference {
  /** Key below the experiment's folder, by the SHA-256 of the content: `images/HASH.png`. */
  key: string;
  /** `image/png`, `image/jpeg`, `image/webp` or `image/gif`. */
  media_type: string;
}

/** What came with a reply and goes back to its provider unchanged, in the provider's own form. */
export interface AsGiven {
  /** Text with the thoughts that the model marked in it. */
  text?: string;
  /** Thoughts with their signatures: fields of the message, or its parts in order. */
  thoughts?: Json;
  /** What stands beside each call, such as a signature; null where there is nothing. */
  calls?: (JsonObject | null)[];
}

/** Message of a chat, in the form that every provider adapter translates. */
export interface ChatMessage {
  role: Role;
  content: string;
  /** On a user message: images that come before its text. */
  images?: ImageReference[];
  /** On an assistant message: the requested calls. */
  tool_calls?: ToolCall[];
  /** On an assistant message: its thoughts, for servers that require them back; recorded with that reply alone. */
  reasoning?: string;
  /** On an assistant message with calls: what its model gets back with their results; recorded with that reply alone. */
  as_given?: AsGiven;
  /** On a tool message: the call it answers. */
  tool_call_id?: string;
}

/** Tool offered to the model; `parameters` is a JSON Schema object. */
export interface ToolDefinition {
  name: string;
  description?: string;
  parameters: { [key: string]: Json };
}

/** Purposes of a call. A recording is looked up by them, so the list is part of the format. */
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
  'grade',
] as const;
export type Purpose = (typeof PURPOSES)[number];

/**
 * Identity of an LM call within an experiment. `trial` and `ordinal` count from 0; `ordinal` within sample, trial and
 * purpose.
 */
export interface CallIdentity {
  sample_id: string;
  trial: number;
  purpose: Purpose;
  ordinal: number;
  /** Role of the model in a kind of one's own, whose roles have names of their own; no part of the identity. */
  role?: string;
}

/** Effort of reasoning in the vendors' words; each knows some of them. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Parameters of one call. An absent field uses the provider's default. */
export interface GenerateParameters {
  temperature?: number;
  /** Samples from the likeliest tokens that have this probability together. */
  top_p?: number;
  /** Samples from this number of the likeliest tokens. */
  top_k?: number;
  /** Maximum generated tokens, including reasoning if the provider counts it. */
  max_output_tokens?: number;
  /** Texts before which the reply ends; its finish reason is then `stop`. */
  stop?: string[];
  /** Seed of the model's own sampling. */
  seed?: number;
  frequency_penalty?: number;
  presence_penalty?: number;
  /** Maximum reasoning tokens; 0 turns reasoning off, -1 lets the model decide (Gemini). */
  thinking_budget?: number;
  /** In place of `thinking_budget`. */
  reasoning_effort?: ReasoningEffort;
  /**
   * Requests the log probability of each token of the reply, and of this number of likeliest tokens at its position.
   */
  logprobs?: number;
  /** JSON Schema that the reply's text keeps to. */
  response_format?: JsonObject;
  /** Further fields of the request's body, in the provider's words. */
  extra_body?: JsonObject;
  /** Further headers of the request; they are recorded, so they hold no secrets. */
  extra_headers?: { [name: string]: string };
}

/** Tokens as billed by the provider: natural numbers. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  /** Reasoning tokens among `output_tokens`; absent if the provider does not report them. */
  reasoning_tokens?: number;
  /** On a reply: tokens among `input_tokens` that were written to a cache, which costs more; absent if there are none. */
  cache_write_tokens?: number;
  /** Those of them that are kept for an hour, which costs still more. */
  cache_write_1h_tokens?: number;
  /** On a reply: tier that it was served at, such as `flex`, which has other prices; absent: the standard one. */
  service_tier?: string;
}

/** Tokens of a reply, as far as the provider sends them: lists of the same length, in order. */
export interface ReplyTokens {
  token_ids?: number[];
  tokens?: string[];
  /** Natural logarithms. */
  logprobs?: number[];
  /** Likeliest tokens at each position, and their log probabilities. */
  top_tokens?: string[][];
  top_logprobs?: number[][];
}

/** Reason why the model stopped. `length` means that the reply was cut off at the token limit. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'unknown';

export interface GenerateRequest {
  messages: ChatMessage[];
  parameters: GenerateParameters;
  tools?: ToolDefinition[];
  call: CallIdentity;
  /** Contents of the messages' images by their keys, in base64; absent: there are none. */
  images?: Readonly<Record<string, string>>;
}

export interface GenerateReply {
  /** Text of the reply; may be empty. In an adapter's reply it includes reasoning that the model marks as such. */
  text: string;
  /** Reasoning before the text: from a field of the provider, or from marks in the text. */
  reasoning?: string;
  /** The model wrote only marked reasoning: it has no answer. */
  only_thought?: true;
  /** A text of `stop` ended the reasoning, so that there is no answer. */
  stopped_in_thought?: true;
  tool_calls?: ToolCall[];
  /** Absent without calls, or if there is nothing to send back. */
  as_given?: AsGiven;
  /** Absent if the provider did not report it. */
  usage?: Usage;
  /** The provider did not report `usage`: it is estimated from the text. */
  usage_estimated?: boolean;
  finish_reason: FinishReason;
  /** No model wrote this: the request was refused with these words, because the chat has filled the context. */
  context_full?: string;
  /** Tokens requested with `logprobs`; absent: the provider sent none. */
  tokens?: ReplyTokens;
  /** Differences between the sent request and the intended one, a sentence each; absent: none. */
  adapted?: string[];
  /** Model that answered, if the provider names it more precisely than the request. */
  model?: string;
  /** US dollars, if the provider reports them or a recording contains them; otherwise computed from the price table. */
  cost_usd?: number | null;
}

/** Options of one attempt, which are no part of the request. */
export interface GenerateOptions {
  /** Aborts the request; the adapter rejects with the error of its client. */
  signal?: AbortSignal;
  /** Sent as an idempotency key if the protocol has one, so that a provider can recognise a repeated request. */
  idempotencyKey?: string;
}

/**
 * Language model behind any provider. One request, one reply: no retries, no caching, no rate limit. Rejects with a
 * `LanguageModelError` (see `language-models/errors.ts`).
 */
export interface LanguageModel {
  generate(request: GenerateRequest, options?: GenerateOptions): Promise<GenerateReply>;
}

/** Row of `calls.jsonl`: one answered LM call. A recording for `replay` has the same rows. */
export interface CallRecord extends CallIdentity {
  /** Environment step of the call, from 0; absent outside of an episode. */
  step?: number;
  /** Hash of model, parameters, messages and identity; identifies the call across crashes. */
  key: string;
  model: string;
  text: string;
  /** Reasoning before `text`; absent if unknown. */
  reasoning?: string;
  /** The model wrote only reasoning: the empty `text` is its own, and no fault of the provider. */
  only_thought?: true;
  /** A text of `stop` ended the reasoning, which is no answer of the model's. */
  stopped_in_thought?: true;
  tool_calls?: ToolCall[];
  as_given?: AsGiven;
  finish_reason: FinishReason;
  /** No model wrote this: the request was refused with these words, because the chat has filled the context. */
  context_full?: string;
  /** Absent if none were requested or sent. */
  tokens?: ReplyTokens;
  /** Differences between the sent request and `messages` and `parameters`, a sentence each; absent: none. */
  adapted?: string[];
  usage?: Usage;
  /** The provider did not report `usage`: it is estimated from the text, and so is what is computed from it. */
  usage_estimated?: boolean;
  /** US dollars; `null` if the model's price is unknown. */
  cost_usd: number | null;
  /** Milliseconds from sending the request to the reply. */
  latency_ms: number;
  messages: ChatMessage[];
  /** Tools offered to the model; absent if there were none. */
  tools?: ToolDefinition[];
  parameters: GenerateParameters;
  /** Maximum number of requests that this call may have sent to the provider, including the answered one. */
  attempts: number;
  /** Requests among them that a crash or a freeze cut off after they were sent, and so paid twice. */
  repeated: number;
  /** Requests among them that were perhaps not sent yet when a crash cut them off; absent: none. */
  maybe_repeated?: number;
  /** The reply came from the shared cache (`lm.cache`): nothing was paid. */
  cached?: boolean;
  /** Time of the reply, in ISO 8601. */
  at: string;
}

/** Part of an answered call that the workflow receives; the whole record is in the artifact store. */
export interface GeneratedReply
  extends Omit<GenerateReply, 'model' | 'cost_usd' | 'adapted' | 'as_given' | 'context_full'> {
  /** US dollars; absent if the price is unknown. */
  cost_usd?: number;
  /** Requests that a crash cut off, and those that it may have cut off; absent if there were none. */
  repeated?: number;
  maybe_repeated?: number;
  /** An earlier execution paid for it, and the run's initial totals include it; absent otherwise. */
  counted?: true;
  /** It was in the store when this activity looked for it; absent: it is new. */
  found?: true;
  /** Requests that this activity sent besides the answered one; absent if there were none. */
  unrecorded?: Unrecorded;
  /** Environment's answer to `text` as an action, if the input requested it. */
  step?: StepAnswer;
}
