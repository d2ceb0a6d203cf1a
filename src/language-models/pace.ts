/** Grants a number of starts. @returns milliseconds until the first of them; the others follow at the rate. */
export type GrantStarts = (count: number) => Promise<number>;

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Milliseconds until starts are requested again after a failed request for them. */
const AGAIN_AFTER = 1000;

/**
 * Pacer that spaces the starts of calls evenly (`lm.requests_per_second`). Calls start in order of arrival; one that is
 * given up leaves no gap.
 */
export class CallPacer {
  private readonly queue = new Set<() => void>();
  private isDealing = false;

  constructor(
    /** Starts per second; null: no limit. */
    private readonly perSecond: number | null,
    private readonly grant: GrantStarts = ownStarts(perSecond ?? 1),
  ) {}

  /** @throws the signal's reason when it aborts first. */
  wait(signal?: AbortSignal): Promise<void> {
    if (this.perSecond === null) return Promise.resolve();
    const interval = 1000 / this.perSecond;
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
      if (!this.isDealing) void this.deal(interval);
    });
  }

  private async deal(interval: number): Promise<void> {
    this.isDealing = true;
    while (this.queue.size > 0) {
      // At most the starts of one second, so that no more are lost if callers give up.
      const count = Math.min(this.queue.size, Math.max(1, Math.floor(1000 / interval)));
      const wait = await this.grant(count).catch(() => null);
      if (wait === null) await sleep(AGAIN_AFTER);
      else await this.admit(count, performance.now() + wait, interval);
    }
    this.isDealing = false;
  }

  private async admit(count: number, first: number, interval: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const [next] = this.queue;
      if (next === undefined) return;
      // Times are relative to the first start, so that late timers do not add up.
      const wait = first + index * interval - performance.now();
      if (wait > 0) await sleep(wait);
      const [due] = this.queue;
      if (due === undefined) return;
      this.queue.delete(due);
      due();
    }
  }
}

/** Creates a source of starts for this process alone. */
export function ownStarts(perSecond: number): GrantStarts {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async (count) => {
    const now = performance.now();
    const first = Math.max(now, nextAt);
    nextAt = first + (count * 1000) / perSecond;
    return first - now;
  };
}
