/** Tokens of requests for vectors. */
export interface EmbedUsage {
  input_tokens: number;
}

export interface EmbedReply {
  /** A vector a text, in the order of the texts; not normalised. */
  vectors: Float32Array[];
  usage: EmbedUsage;
  /** Requests that were sent, and those of them whose usage is estimated: the provider did not report it. */
  requests: number;
  estimated: number;
  /** Texts of which the model saw the beginning only. */
  cut: number;
}

export interface EmbedOptions {
  signal?: AbortSignal;
}

/** What one request holds at most. */
export interface EmbedLimits {
  texts: number;
  /** UTF-8 bytes of all its texts together. */
  bytes: number;
}

/**
 * An embedding model behind any provider: no retries, no caching, no rate limit.
 * Rejects with a `LanguageModelError` (see `language-models/errors.ts`).
 */
export interface Embedder {
  /** Names everything that a vector depends on beside its text: vectors of equal identities may be compared. */
  readonly identity: string;
  readonly limits: EmbedLimits;
  /**
   * More texts than the limits allow are asked for in several requests, one after the other; when one of them fails,
   * the replies before it are lost. A caller that keeps what it pays for hands over one request's worth.
   * A text that is too long for the model is cut; a blank one is refused.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<EmbedReply>;
}

/** What was paid for vectors. */
export interface PaidEmbeddings {
  /** Texts sent to the provider. */
  texts: number;
  requests: number;
  /** Requests whose usage is estimated from the text; absent where there is none. */
  estimated?: number;
  input_tokens: number;
  /** US dollars; null as soon as one request's price is not known. */
  cost_usd: number | null;
  /** Texts of which the model saw the beginning only. */
  cut: number;
}
