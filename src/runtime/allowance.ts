import type { CallLeave } from './call-leave.js';

/**
 * How a shard was granted calls before it was allotted what it may spend: calls it may start without asking. One request
 * is out at a time. Kept for runs that began so.
 */
export class Allowance implements CallLeave {
  private waiting: ((granted: boolean) => void)[] = [];
  private asked = false;
  private closed = false;

  constructor(
    private calls: number,
    /** Asks the run for so many calls; it answers with `grant` when it can. */
    private readonly ask: (wanted: number) => void,
    /** Calls worth asking for at once. */
    private readonly lease: () => number,
  ) {}

  get remaining(): number {
    return this.calls;
  }

  /** Whether anybody waits for a grant. */
  isWaitedFor(): boolean {
    return this.waiting.length > 0;
  }

  take(): Promise<boolean> {
    if (this.closed) return Promise.resolve(false);
    if (this.calls > 0) {
      this.calls -= 1;
      // Asks ahead, so that lanes do not stand still for a round trip.
      if (this.calls * 2 < this.lease()) this.request();
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.request();
    });
  }

  grant(calls: number): void {
    this.asked = false;
    this.calls += calls;
    while (this.calls > 0 && this.waiting.length > 0) {
      this.calls -= 1;
      this.waiting.shift()?.(true);
    }
    if (this.waiting.length > 0) this.request();
  }

  ended(answered: boolean): void {
    if (answered) this.settled();
    else this.giveBack();
  }

  /** A call that failed is none that was made: its leave goes to the next one. */
  private giveBack(): void {
    const waiting = this.waiting.shift();
    if (waiting === undefined) this.calls += 1;
    else waiting(true);
  }

  /** A call is answered, so the budget may have room again: whoever waits asks once more. */
  private settled(): void {
    if (this.waiting.length === 0) return;
    this.asked = false;
    this.request();
  }

  close(): void {
    this.closed = true;
    for (const resolve of this.waiting.splice(0)) resolve(false);
  }

  private request(): void {
    if (this.asked || this.closed) return;
    this.asked = true;
    this.ask(Math.max(this.lease() - this.calls, this.waiting.length, 1));
  }
}
