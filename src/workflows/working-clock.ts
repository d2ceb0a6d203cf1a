import type { Limits } from '../contracts/experiment.js';
import { condition } from './sdk.js';

/** Maximum milliseconds between two readings of the clock; short limits are read twenty times. */
const LONGEST_INTERVAL = 60_000;
const SHORTEST_INTERVAL = 1000;
const LOOKS = 20;

interface Watched {
  limits: Limits;
  /** Seconds that earlier executions of the experiment worked. */
  spent_wall_seconds: number;
}

/** Experiment that the clock watches. */
interface Timed {
  isPaused(): boolean;
  exhaust(why: string): void;
}

/** Clock of an experiment with a time limit; without a limit it does nothing. */
export interface ExperimentClock {
  stop(): void;
  /** Returns the time worked since the workflow began; empty if it is not counted. */
  worked(): { worked_seconds?: number };
}

/**
 * Counts the time that an experiment with a time limit works, and notifies it when the limit is reached. Time without a
 * worker does not count: a late reading counts for no more than the interval before it. Paused time does not count
 * either: an interval that ends in a pause counts for nothing.
 */
export class WorkingClock {
  private worked: number;
  private looked = Date.now();
  private interval = 0;
  private isOver = false;

  private constructor(
    private readonly limit: number,
    private readonly spent: number,
    worked: number,
    private readonly isPaused: () => boolean,
    private readonly exhaust: () => void,
  ) {
    this.worked = worked;
  }

  /**
   * Starts counting when the first unit may begin: preparation does not count.
   * @param worked_seconds time that this workflow had worked when it continued as new; 0 before
   * @param who has worked, for the message
   */
  static start(
    { limits, spent_wall_seconds }: Watched,
    worked_seconds: number,
    who: string,
    control: Timed,
  ): ExperimentClock {
    const limit = limits.max_wall_seconds;
    if (limit === null) return { stop: () => undefined, worked: () => ({}) };
    const why = `limits.max_wall_seconds: the ${who} has worked for ${limit} seconds`;
    const exhaust = () => control.exhaust(why);
    const clock = new WorkingClock(
      limit * 1000,
      spent_wall_seconds * 1000,
      1000 * worked_seconds,
      () => control.isPaused(),
      exhaust,
    );
    void clock.run().catch(() => undefined);
    return { stop: () => clock.stop(), worked: () => ({ worked_seconds: clock.worked / 1000 }) };
  }

  private stop(): void {
    if (this.isOver) return;
    this.look();
    this.isOver = true;
  }

  private async run(): Promise<void> {
    const longest = Math.min(LONGEST_INTERVAL, Math.max(this.limit / LOOKS, SHORTEST_INTERVAL));
    for (;;) {
      const left = this.limit - this.spent - this.worked;
      if (left <= 0) break;
      this.interval = Math.ceil(Math.min(left, longest));
      if (await condition(() => this.isOver, this.interval)) return;
      this.look();
    }
    this.isOver = true;
    this.exhaust();
  }

  /** Adds the time since the last reading. A busy worker reads late as well: by up to one more interval. */
  private look(): void {
    const now = Date.now();
    const passed = now - this.looked;
    if (!this.isPaused()) this.worked += passed <= 2 * this.interval ? passed : this.interval;
    this.looked = now;
  }
}
