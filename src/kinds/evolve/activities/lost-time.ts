import type { Span } from '../../../activities/model-calls.js';

/** Milliseconds between two looks at the event loop. */
const TICK = 100;

/**
 * The time that a running program lost to others: its requests waited for a place, for a pause after a failure, for a
 * store, or for this worker's event loop. What is lost at the same time by several of its threads counts once.
 */
export class LostTime {
  private spans: Span[] = [];

  /** From `from` to `to`, but for the part in which the model worked on its reply. */
  add([from, to]: Span, worked: Span | null = null): void {
    if (worked === null) this.spans.push([from, to]);
    else this.spans.push([from, worked[0]], [worked[1], to]);
  }

  /** Somebody begins to wait: forgets what was over before. What ends just now may have kept the request from being heard. */
  beginToWait(now = performance.now()): void {
    this.spans = this.spans.filter(([, to]) => to > now - 2 * TICK);
  }

  /** Seconds that were lost until then, by `performance.now()`. */
  secondsUntil(end: number): number {
    let [lost, counted] = [0, Number.NEGATIVE_INFINITY];
    for (const [from, to] of [...this.spans].sort(([left], [right]) => left - right)) {
      const last = Math.min(to, end);
      lost += Math.max(last - Math.max(from, counted), 0);
      counted = Math.max(counted, last);
    }
    return lost / 1000;
  }

  /** While the event loop is busy, programs wait without anybody noticing; notices it afterwards. Answers with its end. */
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
