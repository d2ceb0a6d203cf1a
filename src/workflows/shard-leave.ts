import type { Allotment, Amounts } from '../contracts/allotment.js';
import type { ControlState, ShardCarried, ShardInput } from '../contracts/run.js';
import { Allowance } from '../runtime/allowance.js';
import { hasCallLimits } from '../runtime/budget.js';
import { CallGate } from '../runtime/call-gate.js';
import type { CallLeave } from '../runtime/call-leave.js';
import { advance, newShardBudget, type ShardBudget } from '../runtime/shard-budget.js';

interface Around {
  /** All that the shard has spent until now. */
  spent: () => Amounts;
  lanes: () => number;
  /** What the shard holds of the limits has changed. */
  changed: () => void;
  /** In a run that grants calls one by one: it would like so many. */
  ask: (calls: number) => void;
}

/** Where a shard's calls wait for leave to begin, in a run with limits. */
export class ShardLeave implements CallLeave {
  private constructor(
    private readonly gate: CallGate | null,
    /** In the place of a gate, in a run that began before shards were allotted what they may spend. */
    private readonly allowance: Allowance | null,
    private readonly leave: CallLeave,
  ) {}

  /** null where the run has no limits. */
  static open({ plan, control, carried }: ShardInput, around: Around): ShardLeave | null {
    if (control.allotted !== undefined) {
      const gate = openGate(control.allotted, carried?.budget, around);
      return new ShardLeave(gate, null, gate);
    }
    if (!hasCallLimits(plan.limits)) return null;
    const allowance = new Allowance(carried?.allowance ?? 0, around.ask, around.lanes);
    return new ShardLeave(null, allowance, allowance);
  }

  /** null where the run allots nothing. */
  get budget(): ShardBudget | null {
    return this.gate?.budget ?? null;
  }

  take(): Promise<boolean> {
    return this.leave.take();
  }

  ended(answered: boolean): void {
    this.leave.ended(answered);
  }

  close(): void {
    this.leave.close();
  }

  isWaitedFor(): boolean {
    return this.leave.isWaitedFor();
  }

  hear({ allotted, exhausted }: ControlState): void {
    if (allotted !== undefined) this.gate?.hear(allotted);
    if (exhausted) this.close();
  }

  grant(calls: number): void {
    this.allowance?.grant(calls);
  }

  /** Nobody works in this shard for now. */
  idle(): void {
    this.gate?.idle();
  }

  carried(): Pick<ShardCarried, 'allowance' | 'budget'> {
    const allowance = this.allowance?.remaining ?? 0;
    return this.gate === null ? { allowance } : { allowance, budget: this.gate.budget };
  }
}

function openGate(
  allotted: Allotment,
  before: ShardBudget | undefined,
  { spent, changed }: Around,
): CallGate {
  const budget = before ?? newShardBudget(allotted);
  return new CallGate(advance(budget, { type: 'allotted', allotted }), spent, changed);
}
