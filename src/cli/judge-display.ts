import type { JudgeProgress } from '../contracts/judge.js';
import { judgeSummary } from './judge-format.js';
import { type Display, displayFor, LiveFigures } from './live-block.js';
import { ProgressLines } from './progress-lines.js';

export function judgeDisplay(json: boolean): Display<JudgeProgress> {
  return displayFor(json, {
    terminal: (screen) => new LiveFigures(screen, (progress) => [judgeSummary(progress)]),
    lines: (write) =>
      new ProgressLines(write, (progress) => ({
        ended: progress.totals.judged + progress.totals.errors,
        planned: progress.steps_planned,
        text: judgeSummary(progress),
      })),
  });
}
