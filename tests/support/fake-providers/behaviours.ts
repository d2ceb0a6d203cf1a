import type { IncomingHttpHeaders } from 'node:http';

export type ProviderKind = 'openai' | 'gemini' | 'anthropic' | 'bedrock';

export interface FakeToolCall {
  id?: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** An ordinary reply, in no provider's words. */
export interface FakeReply {
  text?: string;
  finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  toolCalls?: FakeToolCall[];
  /** What the model thought, where the protocol has a place for it. */
  thoughts?: string;
  /** null: the reply reports no usage. */
  usage?: { input: number; output: number; thoughts?: number; cached?: number } | null;
  /** The model's name in the reply; the requested one by default. */
  model?: string;
  /** In place of a text: a vector for each text of an embeddings request. */
  vectors?: unknown[];
}

/** What the server does with one request. */
export type Behaviour =
  | ({ kind: 'reply' } & FakeReply)
  | {
      kind: 'status';
      status: number;
      message?: string;
      /** Machine-readable: OpenAI's code, Google's status, Anthropic's error type. */
      code?: string;
      /** Retry-After: seconds, or an HTTP date. */
      retryAfter?: number | string;
      /** Google's RetryInfo, such as `17s`. */
      retryDelay?: string;
      headers?: Record<string, string>;
    }
  /** Accepts the request and never finishes the answer. */
  | { kind: 'hang'; when: 'before_headers' | 'mid_body' }
  /** Cuts the connection. */
  | { kind: 'reset'; when: 'before_headers' | 'mid_body' }
  /** A body of so many bytes, or without an end (Infinity); `packed`: as gzip, a thousandth of that. */
  | { kind: 'flood'; bytes: number; packed?: boolean; status?: number }
  /** Anything at all. */
  | { kind: 'raw'; body: string; status?: number; contentType?: string };

/** A request as the server received it. */
export interface RecordedRequest {
  /** From 1, in order of arrival. */
  number: number;
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever field it is about.
  body: any;
  /** The model that was asked for. */
  model: string;
  /** The last user message as text. */
  lastUserText: string;
  /** An embeddings request: its texts, and the length of vectors that it asks for. */
  texts?: string[];
  dimensions?: number;
  /** The header `idempotency-key`, or the body itself where there is none. */
  key: string;
}

export interface ProviderStatistics {
  /** Requests received. */
  calls: number;
  /** Ordinary replies that were sent completely. */
  finished: number;
  /** Replies to a key that had been answered completely before: what a resumed run must not cause. */
  repeated: number;
  distinctKeys: number;
  inFlight: number;
  maxInFlight: number;
}

/** How one endpoint of a provider reads a request and writes its answers. */
export interface Protocol {
  /** The path of `base_url`. */
  basePath: string;
  accepts(path: string): boolean;
  /** The requested model, and the last user message or the texts to embed. */
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of the protocol.
  read(path: string, body: any): Pick<RecordedRequest, 'model' | 'lastUserText' | 'texts' | 'dimensions'>;
  /** Why the real service would answer 400, or undefined. */
  refuse?(request: RecordedRequest): string | undefined;
  writeReply(reply: FakeReply, request: RecordedRequest): unknown;
  writeError(error: Extract<Behaviour, { kind: 'status' }>): unknown;
}
