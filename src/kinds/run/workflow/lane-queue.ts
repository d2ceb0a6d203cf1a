import type { MemorySnapshot } from '../../../memory/memory-module.js';
import type { RunPlan } from '../contracts.js';
import { type LaneState, newLane } from '../lane/lane-state.js';

/** A run's lanes that are not being worked on: those to come, those from an execution before, those handed back. */
export class LaneQueue {
  private readonly suspended: LaneState[] = [];

  constructor(
    private readonly plan: Pick<RunPlan, 'slots' | 'memory_scope'>,
    /** The next slot that no lane has begun. */
    public next: number,
    /** From the execution before, not resumed yet. */
    private readonly carried: LaneState[],
  ) {}

  /** The lane to work on next; undefined where there is none. */
  take(memory: MemorySnapshot | null): LaneState | undefined {
    const carried = this.carried.shift();
    if (carried !== undefined) return carried;
    const { slots, memory_scope } = this.plan;
    const slot = this.next;
    if (slot >= slots) return undefined;
    this.next = memory_scope === 'run' ? slots : slot + 1;
    return newLane(slot, this.next, memory);
  }

  /** A lane in the middle of an episode; undefined where there is none. */
  takeBegun(): LaneState | undefined {
    const at = this.carried.findIndex(({ episode }) => episode !== undefined);
    return at === -1 ? undefined : this.carried.splice(at, 1)[0];
  }

  /** A lane is handed back between two steps. */
  handBack(lane: LaneState): void {
    this.suspended.push(lane);
  }

  /** Those that were handed back, and those that were not resumed. */
  left(): LaneState[] {
    return [...this.suspended, ...this.carried];
  }

  /** Whether one of those that are left is in the middle of an episode. */
  isInEpisode(): boolean {
    return this.left().some(({ episode }) => episode !== undefined);
  }

  /** Whether every sample was visited. */
  isDone(): boolean {
    return this.left().length === 0 && this.next >= this.plan.slots;
  }
}
