import type { JudgeProgress } from '../contracts/judge.js';
import { judgeSummary } from './judge-format.js';
import { type Display, displayFor, LiveFigures, type Write } from './live-block.js';

/** A line for every tenth of the steps, and for every change of the phase. */
export class JudgeLines implements Display<JudgeProgress> {
  private before = '';

  constructor(private readonly write: Write) {}

  show(progress: JudgeProgress): void {
    const { steps_planned, totals, phase } = progress;
    if (steps_planned === 0) return;
    const tenth = Math.floor(((totals.judged + totals.errors) / steps_planned) * 10);
    const now = `${tenth} ${phase}`;
    if (now === this.before) return;
    this.before = now;
    this.say(judgeSummary(progress));
  }

  say(message: string): void {
    this.write(`${message}\n`);
  }

  end(): void {}
}

export function judgeDisplay(json: boolean): Display<JudgeProgress> {
  return displayFor(json, {
    terminal: (screen) => new LiveFigures(screen, (progress) => [judgeSummary(progress)]),
    lines: (write) => new JudgeLines(write),
  });
}
