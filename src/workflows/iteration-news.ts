import { getExternalWorkflowHandle } from '@temporalio/workflow';
import type { IterationReport } from '../contracts/evolve.js';
import { reportInterval } from '../runtime/deal.js';
import { isGone, ownExecution } from './children.js';
import { evolveReportSignal } from './messages.js';

/** What an iteration tells its experiment while it works: lines for people, and how far it is. */
export class IterationNews {
  /** What was said and not reported so far. */
  lines: string[] = [];
  private readonly said: Set<string>;
  private readonly startedAt = Date.now();
  private lastReport = 0;

  constructor(
    private readonly parent: string,
    /** How far it is; asked for with each report. */
    private readonly standing: () => Pick<IterationReport, 'nodes' | 'totals'>,
    /** Called where the experiment has ended without this iteration, as when it was reset. */
    private readonly left: () => void,
    said?: readonly string[],
  ) {
    this.said = new Set(said);
  }

  say(line: string): void {
    // An iteration that goes on in another execution is gone through again.
    if (this.said.has(line)) return;
    this.said.add(line);
    this.lines.push(line);
    this.reportWhenDue();
  }

  /** Everything that was ever said. */
  all(): string[] {
    return [...this.said];
  }

  /** What was said and is reported, so that another execution does not say it again. */
  reported(): string[] {
    const unsaid = new Set(this.lines);
    return this.all().filter((line) => !unsaid.has(line));
  }

  reportWhenDue(): void {
    const now = Date.now();
    if (now - this.lastReport < reportInterval(now - this.startedAt)) return;
    this.lastReport = now;
    const { lines } = this;
    this.lines = [];
    getExternalWorkflowHandle(this.parent)
      .signal(evolveReportSignal, { from: ownExecution(), lines, ...this.standing() })
      .catch((error: unknown) => {
        if (isGone(error)) this.left();
      });
  }
}
