import type { RetrievalService } from './retrieval-service.js';

/**
 * Index that can have layers. A layer answers as an index of the base's texts and its own would. Its changes are
 * invisible elsewhere, so many lanes share one set of loaded texts.
 */
export interface LayeredRetrieval extends RetrievalService {
  /** Creates an empty layer over this index. Later changes of the base's texts apply to the layer as well. */
  layer(): LayeredRetrieval;
  /**
   * Releases this index's own texts. A layer that is no longer used must be closed, because the base may hold its
   * texts.
   */
  close(): void;
}
