import type { Span } from '../../../activities/model-calls.js';

/** Milliseconds between two checks of the event loop. */
const TICK = 100;

/**
 * Time that a running program lost to others: its requests waited for a slot, for a pause after a failure, for a store,
 * or for this worker's event loop. Time that several of its threads lost at once counts once.
 */
export class LostTime {
  private spans: Span[] = [];

  /** Adds `from` to `to`, except the part in which the model worked on its reply. */
  add([from, to]: Span, worked: Span | null = null): void {
    if (worked === null) this.spans.push([from, to]);
    else this.spans.push([from, worked[0]], [worked[1], to]);
  }

  /** Drops spans that ended before the first request. One that ended just now may have delayed it, and is kept. */
  beginToWait(now = performance.now()): void {
    this.spans = this.spans.filter(([, to]) => to > now - 2 * TICK);
  }

  /** Returns the seconds that were lost until `end`, by `performance.now()`. */
  secondsUntil(end: number): number {
    let [lost, counted] = [0, Number.NEGATIVE_INFINITY];
    for (const [from, to] of [...this.spans].sort(([left], [right]) => left - right)) {
      const last = Math.min(to, end);
      lost += Math.max(last - Math.max(from, counted), 0);
      counted = Math.max(counted, last);
    }
    return lost / 1000;
  }

  /** Adds the times in which the event loop was busy, and programs waited. Returns a function that ends the watch. */
  watchEventLoop(): () => void {
    let last = performance.now();
    const look = () => {
      const now = performance.now();
      if (now - last > 2 * TICK) this.add([last + TICK, now]);
      last = now;
    };
    const timer = setInterval(look, TICK);
    return () => {
      clearInterval(timer);
      look();
    };
  }
}
