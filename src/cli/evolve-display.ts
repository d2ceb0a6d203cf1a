import type { EvolveProgress } from '../contracts/evolve-results.js';
import { costSoFar, evolveSummary, scaffoldTable } from './evolve-format.js';
import { type Display, displayFor, LiveBlock, type Screen, type Write } from './live-block.js';

/** Shows an evolution: a live table on a terminal, its lines elsewhere, nothing where a machine reads. */
export type EvolveDisplay = Display<EvolveProgress>;

/** Gives each line of an experiment once, whatever is polled. */
export class LineFeed {
  private given = 0;

  next({ lines, line_count }: Pick<EvolveProgress, 'lines' | 'line_count'>): string[] {
    // Another execution of the workflow counts from the beginning.
    if (line_count < this.given) this.given = 0;
    const fresh = line_count - this.given;
    this.given = line_count;
    const kept = fresh === 0 ? [] : lines.slice(-fresh);
    const missed = fresh - kept.length;
    return missed === 0 ? kept : [`(${missed} lines were missed; they are in run.log)`, ...kept];
  }
}

/** Phases that go without saying: they are the rule, or take a moment. */
const UNTOLD: readonly EvolveProgress['phase'][] = ['preparing', 'running', 'writing'];

/** A line an event, and after each iteration what it has cost so far. */
export class EvolveLines implements EvolveDisplay {
  private readonly feed = new LineFeed();
  private before: EvolveProgress | null = null;

  constructor(private readonly write: Write) {}

  show(progress: EvolveProgress): void {
    for (const line of this.feed.next(progress)) this.say(line);
    const { before } = this;
    if (before !== null && progress.iteration > before.iteration) this.say(`So far: ${costSoFar(progress)}`);
    const { phase, message } = progress;
    const isNewPhase = !UNTOLD.includes(phase) && phase !== before?.phase;
    const isNewMessage = message !== null && message !== before?.message;
    if (isNewPhase || isNewMessage) this.say(evolveSummary(progress));
    this.before = progress;
  }

  say(message: string): void {
    this.write(`${message}\n`);
  }

  end(): void {}
}

/** Share of the screen's lines that the table may take; the lines above it are to be read as well. */
const SHARE = 0.7;

/** The scaffolds so far at the foot of the screen, drawn anew with every change; what happens is written above them. */
export class LiveTable implements EvolveDisplay {
  private readonly feed = new LineFeed();
  private readonly block: LiveBlock;

  constructor(private readonly screen: Screen) {
    this.block = new LiveBlock(screen);
  }

  show(progress: EvolveProgress): void {
    this.block.show(() => this.tableOf(progress), this.feed.next(progress));
  }

  say(message: string): void {
    this.block.say(message);
  }

  end(): void {
    this.block.end();
  }

  private tableOf(progress: EvolveProgress): string[] {
    const mostLines = Math.floor(this.screen.size().rows * SHARE) - 1;
    const table = progress.nodes.length === 0 ? [] : scaffoldTable(progress.nodes, mostLines).split('\n');
    return [...table, evolveSummary(progress)];
  }
}

export function evolveDisplay(json: boolean): EvolveDisplay {
  return displayFor(json, {
    terminal: (screen) => new LiveTable(screen),
    lines: (write) => new EvolveLines(write),
  });
}
