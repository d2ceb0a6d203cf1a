import type { MemorySnapshot } from '../../../memory/memory-module.js';
import type { RunPlan } from '../contracts.js';
import { isInEpisode, type LaneState, newLane, takeInEpisode } from '../lane/lane-state.js';
import type { LaneSource } from './run-session.js';

/** Queue of a run's lanes that are not running: new ones, those of the previous execution, and suspended ones. */
export class LaneQueue implements LaneSource {
  private readonly suspended: LaneState[] = [];

  constructor(
    private readonly plan: Pick<RunPlan, 'slots' | 'memory_scope'>,
    /** Next slot that no lane has begun. */
    public next: number,
    /** Lanes of the previous execution that are not resumed yet. */
    private readonly carried: LaneState[],
  ) {}

  take(memory: MemorySnapshot | null): LaneState | undefined {
    const carried = this.carried.shift();
    if (carried !== undefined) return carried;
    const { slots, memory_scope } = this.plan;
    const slot = this.next;
    if (slot >= slots) return undefined;
    this.next = memory_scope === 'run' ? slots : slot + 1;
    return newLane(slot, this.next, memory);
  }

  takeBegun(): LaneState | undefined {
    return takeInEpisode(this.carried);
  }

  handBack(lane: LaneState): void {
    this.suspended.push(lane);
  }

  /** Takes back a lane that may be taken again. */
  giveBack(lane: LaneState): void {
    this.carried.push(lane);
  }

  /** Takes a number of lanes, as far as there are any. @param begun true: only those in the middle of an episode */
  takeSome(count: number, begun: boolean): LaneState[] {
    const taken: LaneState[] = [];
    while (taken.length < count) {
      const lane = begun ? this.takeBegun() : this.take(null);
      if (lane === undefined) break;
      taken.push(lane);
    }
    return taken;
  }

  /** Reports whether there is a lane to take. @param begun true: only one in the middle of an episode */
  hasMore(begun: boolean): boolean {
    if (begun) return this.carried.some(isInEpisode);
    return this.carried.length > 0 || this.next < this.plan.slots;
  }

  /** Returns the suspended lanes, and those that were not resumed. */
  left(): LaneState[] {
    return [...this.suspended, ...this.carried];
  }

  /** True if one of the remaining lanes is in the middle of an episode. */
  isInEpisode(): boolean {
    return this.left().some(isInEpisode);
  }

  /** True if every sample was visited. */
  isDone(): boolean {
    return this.left().length === 0 && this.next >= this.plan.slots;
  }
}
