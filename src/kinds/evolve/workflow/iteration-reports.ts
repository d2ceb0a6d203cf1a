import { isGone, ownExecution } from '../../../workflows/children.js';
import { getExternalWorkflowHandle } from '../../../workflows/sdk.js';
import type { IterationReport } from '../contracts.js';
import { evolveReportSignal } from './messages.js';

/** Returns the milliseconds between two reports: a second at first, then more, so that histories stay small. */
function reportInterval(elapsedMilliseconds: number): number {
  return Math.min(Math.max(elapsedMilliseconds / 60, 1000), 300_000);
}

/** Reports of a running iteration to its parent workflow: progress lines and results so far. */
export class IterationReports {
  /** Lines that were not reported yet. */
  lines: string[] = [];
  /** Times of the lines, by line. */
  private readonly said: Map<string, number>;
  private readonly startedAt = Date.now();
  private lastReport = 0;

  constructor(
    private readonly parent: string,
    /** Returns the results so far; called for each report. */
    private readonly status: () => Pick<IterationReport, 'nodes' | 'totals'>,
    /** Called where the experiment has ended without this iteration, as after a reset. */
    private readonly left: () => void,
    { said = [], said_at = [] }: { said?: readonly string[]; said_at?: readonly number[] } = {},
  ) {
    this.said = new Map(said.map((line, index) => [line, said_at[index] ?? this.startedAt]));
  }

  say(line: string): void {
    if (this.announce(line)) this.reportWhenDue();
  }

  /** Adds a line to the next report, whenever that is due. @returns true if it is a new line. */
  announce(line: string): boolean {
    // An iteration that continues in another execution is run again from its beginning.
    if (this.said.has(line)) return false;
    this.said.set(line, Date.now());
    this.lines.push(line);
    return true;
  }

  /** Keeps a line for the log that the parent workflow has reported already. */
  log(line: string): void {
    this.said.set(line, Date.now());
  }

  /** Returns all lines and their times. */
  all(): { lines: string[]; line_times: number[] } {
    return { lines: [...this.said.keys()], line_times: [...this.said.values()] };
  }

  /** Returns the lines that were reported, so that another execution does not report them again. */
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
      .signal(evolveReportSignal, { from: ownExecution(), lines, ...this.status() })
      .catch((error: unknown) => {
        if (isGone(error)) this.left();
      });
  }
}
