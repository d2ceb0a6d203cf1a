/** A text that can be found, under a number of the caller's. */
export interface IndexedText {
  id: number;
  text: string;
}

export interface RetrievalMatch {
  id: number;
  /** Greater is more similar; comparable within one query only. */
  score: number;
}

/**
 * Finds the texts most similar to a query. The answer depends on the texts and their numbers only, never on the order
 * or number of the calls that brought them, so that a worker which rebuilds an index answers as the one before it.
 */
export interface RetrievalService {
  /** Adds texts. A text whose id is there already takes the older one's place. */
  buildIndex(texts: readonly IndexedText[]): Promise<void>;
  /** Takes texts out again; ids that are not there are ignored. */
  remove(ids: readonly number[]): void;
  /**
   * Up to `k` matches, best first; of equal scores, the greater id (the newer text) first.
   * @param accept which ids may be answered; all by default.
   */
  queryTopK(query: string, k: number, accept?: (id: number) => boolean): Promise<RetrievalMatch[]>;
  readonly size: number;
}
