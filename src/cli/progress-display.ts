import { Presets, SingleBar } from 'cli-progress';
import { printable, printableLine } from '../contracts/printable.js';
import type { Progress } from '../contracts/run.js';
import { countedText } from '../statistics/figure-text.js';
import { dollars, percent, stateParts } from './format.js';
import { type Display, displayFor } from './live-block.js';
import { sayText, screen } from './print.js';
import { ProgressLines } from './progress-lines.js';

function summary(progress: Progress): string {
  const { totals, accuracy } = progress;
  const parts = [`${totals.correct} correct (${percent(accuracy)})`, countedText(totals.lm_calls, 'LM call')];
  if (totals.errors > 0) parts.push(countedText(totals.errors, 'error'));
  if (totals.cost_usd !== null && totals.cost_usd > 0) parts.push(dollars(totals.cost_usd));
  return printableLine([...parts, ...stateParts(progress)].join(' · '));
}

class Bar implements Display<Progress> {
  private bar: SingleBar | undefined;

  show(progress: Progress): void {
    if (progress.samples_planned === 0) return;
    const { samples } = progress.totals;
    const total = progress.samples_planned;
    if (this.bar === undefined) {
      this.bar = new SingleBar(
        {
          format: '{bar} {value}/{total} samples · {summary}',
          stream: screen,
          hideCursor: true,
          barsize: 30,
          // A sentence in between erases the line, which the bar would not notice.
          forceRedraw: true,
        },
        Presets.shades_classic,
      );
      this.bar.start(total, samples, { summary: summary(progress) });
    }
    this.bar.update(samples, { summary: summary(progress) });
  }

  say(message: string): void {
    if (this.bar === undefined) sayText(message);
    // The bar goes on one line below; it ends where the cursor was saved.
    else screen.write(`\r\x1b[K${printable(message)}\n\x1b7`);
  }

  end(): void {
    this.bar?.stop();
  }
}

/** Shows a run's progress: a bar on a terminal, plain lines elsewhere, nothing where a machine reads. */
export function progressDisplay(json: boolean): Display<Progress> {
  return displayFor(json, {
    terminal: () => new Bar(),
    lines: (write) =>
      new ProgressLines(write, (progress) => ({
        ended: progress.totals.samples,
        planned: progress.samples_planned,
        text: `${progress.totals.samples}/${progress.samples_planned} samples · ${summary(progress)}`,
      })),
  });
}
