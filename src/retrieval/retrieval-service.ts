/** Text that can be found, with the caller's id. */
export interface IndexedText {
  id: number;
  text: string;
}

export interface RetrievalMatch {
  id: number;
  /** Similarity, comparable within one query only; greater is more similar. */
  score: number;
}

/**
 * Index that finds the texts most similar to a query. Results depend only on the texts and their ids, never on the
 * order or number of the calls that added them, so that a worker which rebuilds an index gets the same results.
 */
export interface RetrievalService {
  /** Adds texts. A text replaces an older one with the same id. */
  buildIndex(texts: readonly IndexedText[]): Promise<void>;
  /** Removes texts; unknown ids are ignored. */
  remove(ids: readonly number[]): void;
  /**
   * Returns up to `k` matches, best first; of equal scores, the greater id (the newer text) first.
   * @param accept reports which ids may be returned; all by default.
   */
  queryTopK(query: string, k: number, accept?: (id: number) => boolean): Promise<RetrievalMatch[]>;
  readonly size: number;
}
