import type { Allotment, Amounts } from '../contracts/allotment.js';
import { advance, type ShardBudget, type ShardBudgetEvent } from './shard-budget.js';

/** A {@link ShardBudget} with those who wait. */
export class CallGate {
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

  /** Resolves when the call may begin; with false where none may any more. */
  take(): Promise<boolean> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.apply({ type: 'wanted', spent: this.spent() });
    });
  }

  /** A call that had leave has ended, with a reply or without. */
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

  /** Refuses those who wait, and whoever comes. */
  close(): void {
    this.apply({ type: 'over' });
  }

  private apply(event: ShardBudgetEvent): void {
    this.state = advance(this.state, event);
    const answered = this.waiting.splice(0, this.waiting.length - this.state.waiting);
    for (const resolve of answered) resolve(!this.state.over);
    this.changed();
  }
}
