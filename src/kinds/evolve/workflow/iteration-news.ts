import { isGone, ownExecution } from '../../../workflows/children.js';
import { getExternalWorkflowHandle } from '../../../workflows/sdk.js';
import type { IterationReport } from '../contracts.js';
import { evolveReportSignal } from './messages.js';

/** Milliseconds between two reports: a second at first, then rarer, so that histories stay small. */
function reportInterval(elapsedMilliseconds: number): number {
  return Math.min(Math.max(elapsedMilliseconds / 60, 1000), 300_000);
}

/** What an iteration tells its experiment while it works: lines for people, and how far it is. */
export class IterationNews {
  /** What was said and not reported so far. */
  lines: string[] = [];
  /** When each line was said. */
  private readonly said: Map<string, number>;
  private readonly startedAt = Date.now();
  private lastReport = 0;

  constructor(
    private readonly parent: string,
    /** How far it is; asked for with each report. */
    private readonly standing: () => Pick<IterationReport, 'nodes' | 'totals'>,
    /** Called where the experiment has ended without this iteration, as when it was reset. */
    private readonly left: () => void,
    { said = [], said_at = [] }: { said?: readonly string[]; said_at?: readonly number[] } = {},
  ) {
    this.said = new Map(said.map((line, index) => [line, said_at[index] ?? this.startedAt]));
  }

  say(line: string): void {
    if (this.announce(line)) this.reportWhenDue();
  }

  /** Says a line with the next report, whenever that is due. @returns whether it is a new one. */
  announce(line: string): boolean {
    // An iteration that goes on in another execution is gone through again.
    if (this.said.has(line)) return false;
    this.said.set(line, Date.now());
    this.lines.push(line);
    return true;
  }

  /** Keeps a line for the log that the experiment has said already. */
  log(line: string): void {
    this.said.set(line, Date.now());
  }

  /** Everything that was ever said, and when. */
  all(): { lines: string[]; line_times: number[] } {
    return { lines: [...this.said.keys()], line_times: [...this.said.values()] };
  }

  /** What was said and is reported, so that another execution does not say it again. */
  reported(): { said: string[]; said_at: number[] } {
    const unsaid = new Set(this.lines);
    const reported = [...this.said].filter(([line]) => !unsaid.has(line));
    return { said: reported.map(([line]) => line), said_at: reported.map(([, at]) => at) };
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
