/** Which ids a layer answers for: its own, and those of its base that it neither hides nor has itself. */
export class LayerIds {
  /** Ids of the base that were removed from this layer. */
  private readonly hidden = new Set<number>();

  /**
   * @param own what the layer holds, by id; it may change.
   * @param base of the index that this one is a layer of; none by default.
   */
  constructor(
    private readonly own: ReadonlyMap<number, unknown>,
    private readonly base?: LayerIds,
  ) {}

  /** Keeps an id of the base from being seen through this layer. */
  hide(id: number): void {
    if (this.base !== undefined) this.hidden.add(id);
  }

  /** Whether the base's id is not seen through this layer: it is hidden, or stands for something of the layer's own. */
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
