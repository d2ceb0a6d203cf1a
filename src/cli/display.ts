import { printable, printableLine } from '../contracts/printable.js';
import type { ExperimentProgress, ProgressLines } from '../contracts/progress.js';
import type { Fact } from '../facts/fact.js';
import { factsOf, type KindFacts } from '../facts/kind-facts.js';
import { briefParts, stateText } from '../facts/text.js';
import { tableText } from './experiment-text.js';
import { screen } from './print.js';

/** Display of an experiment in progress: a table on a terminal, lines, or nothing. */
export interface Display<State = ExperimentProgress> {
  show(progress: State): void;
  say(message: string): void;
  /** Ends the display; the text on the screen stays. */
  end(): void;
}

type Write = (text: string) => void;

/** Progress, with the sentences on what the config means, of kinds that have some. */
type Shown = ExperimentProgress & Partial<ProgressLines> & { means?: readonly string[] };

/** Feed that returns each line of an experiment once, however often it is polled, and each sentence on its config. */
class LineFeed {
  private given = 0;
  private readonly said = new Set<string>();

  /** Notes that a message is shown. */
  hears(message: string): void {
    this.said.add(message);
  }

  next({ means = [], ...progress }: Shown): string[] {
    const unsaid = means.filter((sentence) => !this.said.has(sentence));
    for (const sentence of unsaid) this.hears(sentence);
    return [...unsaid, ...this.nextLines(progress)];
  }

  private nextLines({ lines = [], line_count = this.given }: Partial<ProgressLines>): string[] {
    // Another execution of the workflow counts from zero.
    if (line_count < this.given) this.given = 0;
    const fresh = line_count - this.given;
    this.given = line_count;
    const kept = fresh === 0 ? [] : lines.slice(-fresh);
    const missed = fresh - kept.length;
    return missed === 0 ? kept : [`(${missed} lines were missed; they are in run.log)`, ...kept];
  }
}

/** Milliseconds between two lines, unless a tenth of the work has ended in between. */
const LINE_INTERVAL = 10_000;

/**
 * Display of the lines that the experiment reports, and of a line for each tenth of the work and each change of its
 * state. Where it reports no lines, other changes are shown after {@link LINE_INTERVAL}.
 */
export class LinesDisplay implements Display {
  private readonly feed = new LineFeed();
  private before = { tenth: -1, state: null as string | null, text: '', at: Number.NEGATIVE_INFINITY };

  constructor(
    private readonly write: Write,
    private readonly kind: KindFacts,
    private readonly now: () => number = Date.now,
  ) {}

  show(progress: Shown): void {
    for (const line of this.feed.next(progress)) this.say(line);
    const { ended, planned } = progress.units;
    // Nothing is written before the amount of work is known.
    if (planned === 0) return;
    const facts = factsOf(progress, this.kind);
    const state = stateText(facts);
    const text = [...briefParts(facts), state].filter((part) => part !== null).join(' · ');
    const { before } = this;
    const tenth = Math.floor((ended / planned) * 10);
    const at = this.now();
    const isLate = progress.lines === undefined && at - before.at >= LINE_INTERVAL;
    const isDue = tenth !== before.tenth || (state !== null && state !== before.state) || isLate;
    if (text === before.text || !isDue) return;
    this.before = { tenth, state, text, at };
    this.say(printableLine(text));
  }

  say(message: string): void {
    this.feed.hears(message);
    this.write(`${printable(message)}\n`);
  }

  end(): void {}
}

/** The part of a terminal that a table needs. */
interface Screen {
  write: Write;
  /** Returns the current size in characters. */
  size(): { rows: number; columns: number };
}

/** Lines at the foot of the screen, redrawn with every change; messages are written above them. */
export class LiveBlock {
  private drawn: string[] = [];
  private latest: (() => string[]) | null = null;
  private ended = false;

  constructor(private readonly screen: Screen) {}

  /** @param lines makes the lines for the current screen; @param above what has happened since */
  show(lines: () => string[], above: readonly string[] = []): void {
    if (this.ended) return;
    this.latest = lines;
    this.draw(above);
  }

  say(message: string): void {
    this.draw([message]);
  }

  /** Ends the block; the text on the screen stays. */
  end(): void {
    this.ended = true;
    this.drawn = [];
    this.latest = null;
  }

  private draw(above: readonly string[]): void {
    const block = this.fitting(this.latest?.() ?? []);
    const isSame = block.join('\n') === this.drawn.join('\n');
    if (isSame && above.length === 0) return;
    const erase = this.drawn.length === 0 ? '' : `\x1b[${this.drawn.length}A\x1b[0J`;
    this.screen.write(`${erase}${[...above.map(printable), ...block].map((line) => `${line}\n`).join('')}`);
    this.drawn = block;
  }

  /** Cuts lines to the screen's width: a wrapped line would count as two. */
  private fitting(lines: readonly string[]): string[] {
    const { columns } = this.screen.size();
    return lines.map((line) => [...printable(line).replaceAll('\n', ' ')].slice(0, columns - 1).join(''));
  }
}

/** Share of the screen's lines that tables may take; the rest is for the lines above them. */
const SHARE = 0.7;
/** Lines that hold no row of a table: its frame, its head, the count of omitted rows, and those below it. */
const OTHER_LINES = 8;
/** Rows of a table that even the smallest screen shows. */
const FEWEST_ROWS = 3;
/** Columns of the progress bar. */
const BAR_COLUMNS = 20;

/** Display of progress at the foot of the screen; events are written above it. */
export class LiveDisplay implements Display {
  private readonly feed = new LineFeed();
  private readonly block: LiveBlock;

  constructor(
    private readonly screen: Screen,
    private readonly kind: KindFacts,
  ) {
    this.block = new LiveBlock(screen);
  }

  show(progress: Shown): void {
    const facts = factsOf(progress, this.kind);
    this.block.show(() => this.linesOf(progress, facts), this.feed.next(progress));
  }

  say(message: string): void {
    this.feed.hears(message);
    this.block.say(message);
  }

  end(): void {
    this.block.end();
  }

  private linesOf({ units: { ended, planned } }: Shown, facts: readonly Fact[]): string[] {
    const state = stateText(facts);
    const last = state === null ? [] : [state];
    if (planned === 0) return last;
    const { rows, columns } = this.screen.size();
    const maxRows = Math.max(Math.floor(rows * SHARE) - OTHER_LINES, FEWEST_ROWS);
    const tables = facts.flatMap(({ value }) =>
      value.kind === 'table' && value.live === true ? tableText(value, maxRows).split('\n') : [],
    );
    const [units = '', ...others] = briefParts(facts);
    const bar = `${barText(ended / planned)} ${units}`;
    const rest = others.join(' · ');
    const isWide = bar.length + ' · '.length + rest.length < columns;
    return [...tables, ...(isWide ? [`${bar} · ${rest}`] : [bar, rest]), ...last];
  }
}

function barText(share: number): string {
  const full = Math.floor(Math.min(share, 1) * BAR_COLUMNS);
  return '█'.repeat(full) + '░'.repeat(BAR_COLUMNS - full);
}

/** For `--json`: standard output holds the result only. */
const SILENT: Display = { show: () => undefined, say: () => undefined, end: () => undefined };

/** Chooses the display for standard error: nothing where a program reads the result, else a terminal or lines. */
export function experimentDisplay(json: boolean, kind: KindFacts): Display {
  if (json) return SILENT;
  if (!screen.isTTY) return new LinesDisplay((text) => void process.stderr.write(text), kind);
  return new LiveDisplay(
    {
      write: (text) => void screen.write(text),
      size: () => ({ rows: screen.rows ?? 24, columns: screen.columns ?? 80 }),
    },
    kind,
  );
}
