import type { RetrievalService } from './retrieval-service.js';

/**
 * An index that others can be laid over. A layer answers as an index of the base's texts and its own would; what is
 * added to it or removed from it is seen by nobody else, so many lanes share one set of loaded texts.
 */
export interface LayeredRetrieval extends RetrievalService {
  /** An empty layer over this index. Texts that the base gains or loses later, the layer gains or loses too. */
  layer(): LayeredRetrieval;
  /** Gives up this index's own texts. A layer that is no longer used has to be closed: the base may hold its texts. */
  close(): void;
}
