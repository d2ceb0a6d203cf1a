import { setTimeout as sleep } from 'node:timers/promises';

/** Spaces the starts of calls evenly: `lm.requests_per_second` without a server to hold it. */
export class Pace {
  private nextAt = 0;

  constructor(
    /** null: no limit. */
    private readonly perSecond: number | null,
  ) {}

  async wait(): Promise<void> {
    if (this.perSecond === null) return;
    const now = performance.now();
    const at = Math.max(now, this.nextAt);
    this.nextAt = at + 1000 / this.perSecond;
    if (at > now) await sleep(at - now);
  }
}
