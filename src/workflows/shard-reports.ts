import { getExternalWorkflowHandle, sleep } from '@temporalio/workflow';
import type { ShardReport, Totals } from '../contracts/run.js';
import { reportInterval } from '../runtime/deal.js';
import type { ShardBudget } from '../runtime/shard-budget.js';
import { claimDue, claimOf, type SentClaim } from '../runtime/shard-claims.js';
import { isGone, ownExecution } from './children.js';
import { reportSignal } from './messages.js';

interface About {
  shard: number;
  /** Workflow id of the run. */
  run: string;
  /** When this execution began; milliseconds since 1970. */
  startedAt: number;
  totals: Totals;
  /** What it may spend; null where the run allots nothing. */
  budget: () => ShardBudget | null;
  lanes: () => number;
  /** Version of the newest message of the run that it has heard. */
  told: () => number;
  /** The run is gone: it has ended without this shard, as when it was reset. */
  left: () => void;
}

/** What a shard tells its run: how far it is, and what it says of its budget. */
export class ShardReports {
  private last = Date.now();
  private sent: SentClaim | null = null;
  /** When the claim is looked at again; milliseconds since 1970. */
  private alarm = Number.POSITIVE_INFINITY;

  /** @param count reports that executions before this one have sent. */
  constructor(
    private readonly about: About,
    public count: number,
  ) {}

  /** How far it is, unless that was said a moment ago. */
  sendWhenDue(): void {
    const now = Date.now();
    if (now - this.last >= reportInterval(now - this.about.startedAt)) this.send({});
  }

  /** What it says of its budget, once that is due. */
  claimWhenDue(): void {
    const now = Date.now();
    const standing = this.claim(now);
    if (standing === null) return;
    const due = claimDue(standing.budget, standing.claim, standing.sent);
    if (due === null) return;
    if (due.at > now) this.wake(due.at);
    else if (due.again) this.send({ again: true }, standing.sent.repeated + 1);
    else this.send({});
  }

  /** How it stands, because the run asks. */
  answer(): void {
    this.send({}, this.sent?.repeated);
  }

  /**
   * Lanes do not wait for it.
   * @param repeated how often the same claim was sent before.
   */
  send(extra: Pick<ShardReport, 'fatal' | 'again'>, repeated = 0): void {
    const { shard, run, totals } = this.about;
    const now = Date.now();
    const claim = this.claim(now)?.claim;
    if (claim !== undefined) this.sent = { at: now, claim, repeated };
    this.last = now;
    this.count += 1;
    const report: ShardReport = {
      from: ownExecution(),
      told: this.about.told(),
      shard,
      version: this.count,
      totals: { ...totals },
      ...(claim === undefined ? {} : { claim }),
      ...extra,
    };
    getExternalWorkflowHandle(run)
      .signal(reportSignal, report)
      .catch((error: unknown) => {
        if (isGone(error)) this.about.left();
      });
    if (claim !== undefined) this.claimWhenDue();
  }

  private claim(now: number) {
    const budget = this.about.budget();
    if (budget === null) return null;
    const { spent, returned, allotted } = budget;
    const heard = allotted.lm_calls;
    const sent = this.sent ?? { at: this.last, claim: { spent, returned, heard, wanted: 0 }, repeated: 0 };
    return { budget, sent, claim: claimOf(budget, { sent, lanes: this.about.lanes(), now }) };
  }

  /** Looks at the claim again then, unless it will be looked at before. */
  private wake(at: number): void {
    if (at >= this.alarm) return;
    this.alarm = at;
    sleep(at - Date.now())
      .then(() => {
        if (this.alarm !== at) return;
        this.alarm = Number.POSITIVE_INFINITY;
        this.claimWhenDue();
      })
      .catch(() => undefined);
  }
}
