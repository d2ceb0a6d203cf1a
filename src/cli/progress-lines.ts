import { printable } from '../contracts/printable.js';
import type { Display, Write } from './live-block.js';

/** What a line tells. */
interface Told {
  /** Pieces of work that have ended, of those that are planned; with none planned, nothing is told yet. */
  ended: number;
  planned: number;
  text: string;
}

/** Milliseconds between two lines, unless a tenth of the work has ended meanwhile. */
const LINE_INTERVAL = 10_000;

/** A line for each tenth of the work, each change of state, and after a while for whatever else is new. */
export class ProgressLines<Progress extends { phase: string; message: string | null }>
  implements Display<Progress>
{
  private before = { tenth: -1, state: '', text: '', at: Number.NEGATIVE_INFINITY };

  constructor(
    private readonly write: Write,
    private readonly tell: (progress: Progress) => Told,
    private readonly now: () => number = Date.now,
  ) {}

  show(progress: Progress): void {
    const { ended, planned, text } = this.tell(progress);
    if (planned === 0) return;
    const { before } = this;
    const tenth = Math.floor((ended / planned) * 10);
    const state = `${progress.phase} ${progress.message}`;
    const at = this.now();
    const isDue = tenth !== before.tenth || state !== before.state || at - before.at >= LINE_INTERVAL;
    if (text === before.text || !isDue) return;
    this.before = { tenth, state, text, at };
    this.say(text);
  }

  say(message: string): void {
    this.write(`${printable(message)}\n`);
  }

  end(): void {}
}
