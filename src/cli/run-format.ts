import type { Progress, RunResult } from '../contracts/run.js';
import { ofTrialText } from '../statistics/trial-figures.js';
import { dollars, headedTable, metricsTable, percent, shownAddress, stateText } from './format.js';

/** A run in progress: how far it is, and where it writes. */
export function runStanding(progress: Progress): string {
  const { totals, samples_planned, accuracy, accuracy_of, concurrency, artifacts, means = [] } = progress;
  const table = headedTable(
    [],
    [
      ['phase', stateText(progress)],
      ['samples', `${totals.samples} of ${samples_planned}`],
      [`correct${ofTrialText(accuracy_of)}`, `${totals.correct} (${percent(accuracy)})`],
      ['errors', String(totals.errors)],
      ['LM calls', String(totals.lm_calls)],
      ['cost', dollars(totals.cost_usd)],
      ['concurrency', String(concurrency)],
      ['artifacts', shownAddress(artifacts)],
    ],
  );
  return [table, ...means].join('\n');
}

/** The table, what its figures were made with, and where the artifacts are. */
export function runReport({ artifacts, metrics }: RunResult): string {
  return [metricsTable(metrics), ...metrics.in_words, `Artifacts: ${shownAddress(artifacts)}`].join('\n');
}
