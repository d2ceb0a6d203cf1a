import type { PaidEmbeddings } from '../contracts/embeddings.js';
import type { CallRecord } from '../contracts/language-model.js';
import type { Limits, Spending } from '../contracts/run.js';
import type { Unkept } from '../contracts/step-cost.js';
import { addCosts } from '../runtime/add-costs.js';
import { allotmentOf, amountsOf, isLeft, minus } from '../runtime/amounts.js';
import { withUnkept } from '../runtime/beside.js';
import { hasCallLimits, reachedLimit } from '../runtime/budget.js';
import { CallGate } from '../runtime/call-gate.js';
import { newShardBudget } from '../runtime/shard-budget.js';

/** A run's limits on calls, tokens and dollars: the gate of a shard that was allotted all of them. */
export class CallBudget {
  private spent: Spending = { lm_calls: 0, tokens: 0, cost_usd: 0 };
  private readonly gate: CallGate | null;

  constructor(
    private readonly limits: Limits,
    /** Hears why no further call may start. */
    private readonly onExhausted: (message: string) => void,
  ) {
    this.gate = hasCallLimits(limits)
      ? new CallGate(
          newShardBudget(allotmentOf(limits)),
          () => amountsOf(this.spent),
          () => undefined,
        )
      : null;
  }

  /** Waits for leave to start a call; false where a limit forbids it. */
  take(): Promise<boolean> {
    return this.gate?.take() ?? Promise.resolve(true);
  }

  settle({ usage, cost_usd }: CallRecord): void {
    const { spent } = this;
    spent.lm_calls += 1;
    spent.tokens += (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
    spent.cost_usd = addCosts(spent.cost_usd, cost_usd);
    this.gate?.ended();
    this.check();
  }

  /** What a search paid for vectors; it is no call. */
  pay({ input_tokens, cost_usd }: PaidEmbeddings): void {
    const { spent } = this;
    spent.tokens += input_tokens;
    spent.cost_usd = addCosts(spent.cost_usd, cost_usd);
    this.check();
  }

  /** A request that had leave has no reply; null: it was never sent, and counts against nothing. */
  failed(unkept: Unkept | null): void {
    if (unkept !== null) this.spent = withUnkept(this.spent, { unkept });
    this.gate?.ended();
    this.check();
  }

  /** Refuses every further call. */
  close(): void {
    this.gate?.close();
  }

  private check(): void {
    const { limits, spent } = this;
    if (this.gate === null || isLeft(minus(allotmentOf(limits), amountsOf(spent)))) return;
    this.onExhausted(reachedLimit(limits, spent) ?? 'limits: nothing is left to spend');
  }
}
