import type { Allotment, Amounts } from '../contracts/allotment.js';
import type { CallLeave } from './call-leave.js';
import { advance, type ShardBudget, type ShardBudgetEvent } from './shard-budget.js';

/** A {@link ShardBudget} with those who wait. */
export class CallGate implements CallLeave {
  private readonly waiting: ((begins: boolean) => void)[] = [];

  constructor(
    private state: ShardBudget,
    /** All that was spent until now. */
    private readonly spent: () => Amounts,
    /** Called whenever anything has changed. */
    private readonly changed: () => void,
  ) {}

  get budget(): ShardBudget {
    return this.state;
  }

  take(): Promise<boolean> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.apply({ type: 'wanted', spent: this.spent() });
    });
  }

  ended(): void {
    this.apply({ type: 'ended', spent: this.spent() });
  }

  hear(allotted: Allotment): void {
    this.apply({ type: 'allotted', allotted });
  }

  /** Nobody works in this shard for now: others may need what it holds. */
  idle(): void {
    this.apply({ type: 'idle' });
  }

  close(): void {
    this.apply({ type: 'over' });
  }

  isWaitedFor(): boolean {
    return this.waiting.length > 0;
  }

  private apply(event: ShardBudgetEvent): void {
    this.state = advance(this.state, event);
    const answered = this.waiting.splice(0, this.waiting.length - this.state.waiting);
    for (const resolve of answered) resolve(!this.state.over);
    this.changed();
  }
}
