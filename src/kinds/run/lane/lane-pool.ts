/**
 * Pool that keeps up to `size` lanes running. `size` may change at any time; a smaller one lets running lanes end and
 * stops none. The first lane that rejects ends the pool with its error, after the others have ended.
 */
export class LanePool<Item> {
  private active = 0;
  private failure: { error: unknown } | undefined;
  private finish: (() => void) | undefined;

  constructor(
    private size: number,
    /** Returns the next item, or undefined if there is none (for now). */
    private readonly next: () => Item | undefined,
    private readonly start: (item: Item) => Promise<void>,
  ) {}

  setSize(size: number): void {
    this.size = size;
    this.pump();
  }

  /** Resolves when no item is left and no lane is running. */
  async run(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.finish = resolve;
      this.pump();
    });
    if (this.failure !== undefined) throw this.failure.error;
  }

  /** Ends the pool with an error, after the running lanes have ended. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.pump();
  }

  private pump(): void {
    // Not started yet, or ended.
    if (this.finish === undefined) return;
    while (this.active < this.size && this.failure === undefined) {
      const item = this.next();
      if (item === undefined) break;
      this.active += 1;
      void this.start(item)
        .catch((error: unknown) => {
          this.failure ??= { error };
        })
        .finally(() => {
          this.active -= 1;
          this.pump();
        });
    }
    const exhausted = this.failure !== undefined || (this.size > 0 && this.active < this.size);
    if (this.active > 0 || !exhausted) return;
    const { finish } = this;
    this.finish = undefined;
    finish();
  }
}
