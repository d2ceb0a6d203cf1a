/** Tokens of embedding requests. */
export interface EmbedUsage {
  input_tokens: number;
}

export interface EmbedReply {
  /** One vector for each text, in the same order; not normalised. */
  vectors: Float32Array[];
  usage: EmbedUsage;
  /** Number of requests sent, and of those with estimated usage, which the provider did not report. */
  requests: number;
  estimated: number;
  /** Texts of which the model read only the beginning. */
  cut: number;
}

export interface EmbedOptions {
  signal?: AbortSignal;
}

/** Limits of one request. */
export interface EmbedLimits {
  texts: number;
  /** UTF-8 bytes of all its texts together. */
  bytes: number;
}

/**
 * Embedding model behind any provider: no retries, no caching, no rate limit. Rejects with a `LanguageModelError` (see
 * `language-models/errors.ts`).
 */
export interface Embedder {
  /** Names everything that a vector depends on besides its text: vectors of equal identities may be compared. */
  readonly identity: string;
  readonly limits: EmbedLimits;
  /**
   * Requests the vectors of texts. Texts beyond the limits are sent in several requests, one after the other; if one of
   * them fails, the replies before it are lost, so a caller that stores paid results passes no more than one request
   * allows. A text that is too long for the model is cut; a blank one is refused.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<EmbedReply>;
}

/** Cost of embeddings. */
export interface PaidEmbeddings {
  /** Texts sent to the provider. */
  texts: number;
  requests: number;
  /** Requests whose usage is estimated from the text; absent if there are none. */
  estimated?: number;
  input_tokens: number;
  /** US dollars; null if the price of any request is unknown. */
  cost_usd: number | null;
  /** Texts of which the model read only the beginning. */
  cut: number;
}
