import type { PaidEmbeddings } from '../contracts/embeddings.js';
import type { CallRecord } from '../contracts/language-model.js';
import type { Limits, Spending } from '../contracts/run.js';
import { Allowance } from '../runtime/allowance.js';
import { BudgetLedger, hasCallLimits } from '../runtime/budget.js';
import { addCosts } from '../runtime/totals.js';

/** The only shard of a run in process. */
const SHARD = 0;

/** A run's limits on calls, tokens and dollars: the ledger and the allowance of a durable run, in one place. */
export class CallBudget {
  private readonly spent: Spending = { lm_calls: 0, tokens: 0, cost_usd: 0 };
  private readonly ledger: BudgetLedger;
  private readonly allowance: Allowance | null;
  private wanted = 0;

  constructor(
    limits: Limits,
    concurrency: number,
    /** Hears once why no further call may start. */
    private readonly onExhausted: (message: string) => void,
  ) {
    this.ledger = new BudgetLedger(limits, { lm_calls: 0, tokens: 0, cost_usd: 0 });
    this.allowance = hasCallLimits(limits)
      ? new Allowance(
          0,
          (wanted) => {
            this.wanted = wanted;
            this.grant();
          },
          () => concurrency,
        )
      : null;
  }

  /** Waits for leave to start a call; false where a limit forbids it. */
  take(): Promise<boolean> {
    return this.allowance === null ? Promise.resolve(true) : this.allowance.take();
  }

  settle({ usage, cost_usd }: CallRecord): void {
    const { spent } = this;
    spent.lm_calls += 1;
    spent.tokens += (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
    spent.cost_usd = addCosts(spent.cost_usd, cost_usd);
    this.settled();
  }

  /** What a search paid for vectors; it is no call. */
  pay({ input_tokens, cost_usd }: PaidEmbeddings): void {
    const { spent } = this;
    spent.tokens += input_tokens;
    spent.cost_usd = addCosts(spent.cost_usd, cost_usd);
    this.settled();
  }

  /** A call that was never answered counts against nothing. */
  giveBack(): void {
    this.allowance?.giveBack();
  }

  /** Refuses every further call. */
  close(): void {
    this.allowance?.close();
  }

  private settled(): void {
    this.ledger.settle(SHARD, { ...this.spent });
    this.grant();
  }

  private grant(): void {
    if (this.wanted === 0) return;
    const calls = this.ledger.grant(SHARD, this.wanted);
    if (calls > 0) {
      this.wanted = 0;
      this.allowance?.grant(calls);
      return;
    }
    const reached = this.ledger.exhausted();
    if (reached !== null) this.onExhausted(reached);
  }
}
