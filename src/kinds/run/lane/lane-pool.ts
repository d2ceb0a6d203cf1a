/**
 * Keeps up to `size` lanes going. `size` may change at any time; a smaller one lets lanes run out, it stops none.
 * The first lane that rejects ends the pool with its error, after the others have ended too.
 */
export class LanePool<Item> {
  private active = 0;
  private failure: { error: unknown } | undefined;
  private finish: (() => void) | undefined;

  constructor(
    private size: number,
    /** The next item, or undefined when there is none (for now). */
    private readonly next: () => Item | undefined,
    private readonly start: (item: Item) => Promise<void>,
    /** Called when no lane is going and more may come, as in a pool of size 0. */
    private readonly idle: () => void = () => undefined,
  ) {}

  setSize(size: number): void {
    this.size = size;
    this.pump();
  }

  /** Resolves when no item is left and no lane is going. */
  async run(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.finish = resolve;
      this.pump();
    });
    if (this.failure !== undefined) throw this.failure.error;
  }

  /** Whether it has begun and no lane is going. */
  isWaiting(): boolean {
    return this.finish !== undefined && this.active === 0;
  }

  /** Ends the pool with an error, after the lanes that are going have ended. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.pump();
  }

  private pump(): void {
    // Not started yet, or over.
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
    if (this.active > 0) return;
    if (!exhausted) {
      this.idle();
      return;
    }
    const { finish } = this;
    this.finish = undefined;
    finish();
  }
}
