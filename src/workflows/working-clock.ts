import type { Limits } from '../contracts/experiment.js';
import { condition } from './sdk.js';

/** Milliseconds between two looks at the clock, at most; the limit is looked at twenty times where that is more often. */
const LONGEST_INTERVAL = 60_000;
const SHORTEST_INTERVAL = 1000;
const LOOKS = 20;

interface Watched {
  limits: Limits;
  /** What earlier executions of the experiment have worked. */
  spent_wall_seconds: number;
}

/** What the clock watches. */
interface Timed {
  isPaused(): boolean;
  exhaust(why: string): void;
}

/** The clock of an experiment, where its time has a limit; else it does nothing. */
export interface ExperimentClock {
  stop(): void;
  /** What has been worked since the workflow began; nothing where that is not counted. */
  worked(): { worked_seconds?: number };
}

/**
 * Counts the time that an experiment with a limit on it works, and tells it when that is met. While there is no worker
 * nothing is worked: a look at the clock that comes late counts for no more than the interval before it. Nor while it is
 * paused: an interval at whose end it is counts for nothing.
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
   * Counts from now on, when the first unit may begin: what preparing takes is nobody's work.
   * @param worked_seconds what this workflow had worked when it continued as new; 0 before
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

  /** A busy worker looks late as well: as late again as the interval was long it may be. */
  private look(): void {
    const now = Date.now();
    const passed = now - this.looked;
    if (!this.isPaused()) this.worked += passed <= 2 * this.interval ? passed : this.interval;
    this.looked = now;
  }
}
