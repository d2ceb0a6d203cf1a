import { printable } from '../contracts/printable.js';
import type { Watcher } from './follow.js';
import { screen } from './print.js';

/** Shows an experiment while it is in progress: on a terminal, in lines, or not at all. */
export interface Display<State> extends Watcher<State> {
  /** What stands on the screen stays there. */
  end(): void;
}

export type Write = (text: string) => void;

/** The part of a terminal that a table needs to know. */
export interface Screen {
  write: Write;
  /** Its size in characters, as it is now. */
  size(): { rows: number; columns: number };
}

/** Lines at the foot of the screen, drawn anew with every change; what is said is written above them. */
export class LiveBlock {
  private drawn: string[] = [];
  private latest: (() => string[]) | null = null;
  private ended = false;

  constructor(private readonly screen: Screen) {}

  /** @param lines makes them for the screen as it is; @param above what has happened since */
  show(lines: () => string[], above: readonly string[] = []): void {
    if (this.ended) return;
    this.latest = lines;
    this.draw(above);
  }

  say(message: string): void {
    this.draw([message]);
  }

  /** What stands on the screen stays there. */
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

  /** Lines that fit: one that is wrapped would be two to the terminal and one to us. */
  private fitting(lines: readonly string[]): string[] {
    const { columns } = this.screen.size();
    return lines.map((line) => [...printable(line).replaceAll('\n', ' ')].slice(0, columns - 1).join(''));
  }
}

/** The state of an experiment at the foot of the screen. */
export class LiveFigures<State> implements Display<State> {
  private readonly block: LiveBlock;

  /** @param linesOf what is shown of a state */
  constructor(
    screen: Screen,
    private readonly linesOf: (state: State) => string[],
  ) {
    this.block = new LiveBlock(screen);
  }

  show(state: State): void {
    this.block.show(() => this.linesOf(state));
  }

  say(message: string): void {
    this.block.say(message);
  }

  end(): void {
    this.block.end();
  }
}

/** For `--json`: standard output holds the result only. */
const SILENT: Display<never> = { show: () => undefined, say: () => undefined, end: () => undefined };

/** What suits standard error: nothing where a machine reads the result, else a terminal or lines. */
export function displayFor<State>(
  json: boolean,
  {
    terminal,
    lines,
  }: { terminal: (screen: Screen) => Display<State>; lines: (write: Write) => Display<State> },
): Display<State> {
  if (json) return SILENT;
  if (!screen.isTTY) return lines((text) => void process.stderr.write(text));
  const write: Write = (text) => void screen.write(text);
  return terminal({ write, size: () => ({ rows: screen.rows ?? 24, columns: screen.columns ?? 80 }) });
}
