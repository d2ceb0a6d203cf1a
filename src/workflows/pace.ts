import type { PaceOfUnits } from '../contracts/progress.js';

/** Milliseconds over which the rate is taken, and number of ended units that it takes at least. */
const WINDOW = 60_000;
const FEWEST = 5;
/** Minimum milliseconds between two moments that are kept. */
const KEPT_EVERY = 1000;

interface Moment {
  at: number;
  ended: number;
}

/** Pace of an experiment: the rate at which its units have ended lately. */
export class Pace {
  /** Moments at which units ended, the first of them at the start of the window. */
  private moments: Moment[] = [];

  /** Begins anew: what was before, such as a pause, says nothing of the rate. */
  reset(): void {
    this.moments = [];
  }

  /** @param at milliseconds since 1970 @param ended number of units that have ended by then */
  note(at: number, ended: number): void {
    const { moments } = this;
    const last = moments.at(-1);
    if (last !== undefined && ended <= last.ended) return;
    // The first one stands for the start, and is never replaced.
    if (moments.length > 1 && last !== undefined && at - last.at < KEPT_EVERY) last.ended = ended;
    else moments.push({ at, ended });
    for (let next = moments[1]; next !== undefined; next = moments[1]) {
      if (at - next.at < WINDOW || ended - next.ended < FEWEST) return;
      moments.shift();
    }
  }

  /** Returns the pace; null before it is known, or where nothing is left. @param planned number of all units */
  of(planned: number): PaceOfUnits | null {
    const [first, last] = [this.moments[0], this.moments.at(-1)];
    if (first === undefined || last === undefined || planned <= last.ended) return null;
    const seconds = (last.at - first.at) / 1000;
    const ended = last.ended - first.ended;
    if (seconds < 1 || ended < 1) return null;
    const units_per_second = ended / seconds;
    return { units_per_second, seconds_left: (planned - last.ended) / units_per_second };
  }
}
