/** Tokens of one request for vectors, as the provider billed them. */
export interface EmbedUsage {
  input_tokens: number;
}

export interface EmbedReply {
  /** A vector a text, in the order of the texts; not normalised. */
  vectors: Float32Array[];
  /** Absent where the provider did not report it for every request. */
  usage?: EmbedUsage;
  /** Requests that were sent. */
  requests: number;
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
  /** Of the requests whose usage the provider reported. */
  input_tokens: number;
  /** US dollars; null as soon as one request's usage or price is not known. */
  cost_usd: number | null;
  /** Texts of which the model saw the beginning only. */
  cut: number;
}
