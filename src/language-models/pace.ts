/**
 * Spaces the starts of calls evenly: `lm.requests_per_second` where no server holds it. Calls start in the order in
 * which they came, and one that is given up leaves no gap.
 */
export class Pace {
  private readonly queue = new Set<() => void>();
  private nextAt = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    /** null: no limit. */
    private readonly perSecond: number | null,
  ) {}

  /** @throws the signal's reason when it aborts first. */
  wait(signal?: AbortSignal): Promise<void> {
    if (this.perSecond === null) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abandon = () => {
        this.queue.delete(start);
        reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener('abort', abandon);
        resolve();
      };
      signal?.addEventListener('abort', abandon, { once: true });
      this.queue.add(start);
      this.admit(this.perSecond as number);
    });
  }

  private admit(perSecond: number, due = performance.now()): void {
    const [next] = this.queue;
    if (next === undefined || this.timer !== undefined) return;
    const now = performance.now();
    if (now < this.nextAt) {
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.admit(perSecond, this.nextAt);
      }, this.nextAt - now);
      return;
    }
    this.queue.delete(next);
    // A timer that fires a little late slows nobody down; one that fires very late makes no burst.
    const interval = 1000 / perSecond;
    this.nextAt = Math.max(due, now - interval) + interval;
    next();
    this.admit(perSecond);
  }
}
