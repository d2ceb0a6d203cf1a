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

/** Ids in a layer: its own, and those of its base that it neither hides nor replaces. */
export class LayerIds {
  /** Ids of the base that were removed from this layer. */
  private readonly hidden = new Set<number>();

  /**
   * @param own content of the layer, by id; it may change.
   * @param base ids of the index that this one is a layer of; none by default.
   */
  constructor(
    private readonly own: ReadonlyMap<number, unknown>,
    private readonly base?: LayerIds,
  ) {}

  /** Hides an id of the base in this layer. */
  hide(id: number): void {
    if (this.base !== undefined) this.hidden.add(id);
  }

  /** Reports whether this layer hides or replaces an id of the base. */
  covers(id: number): boolean {
    return this.hidden.has(id) || this.own.has(id);
  }

  has(id: number): boolean {
    return this.own.has(id) || (!this.hidden.has(id) && this.base?.has(id) === true);
  }

  get size(): number {
    if (this.base === undefined) return this.own.size;
    let size = this.base.size + this.own.size;
    for (const id of new Set([...this.hidden, ...this.own.keys()])) if (this.base.has(id)) size -= 1;
    return size;
  }
}
