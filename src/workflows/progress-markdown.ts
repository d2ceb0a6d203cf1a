import type { Metrics } from '../contracts/results.js';
import type { Progress, Totals } from '../contracts/run.js';
import { besideRows, estimatedText, repeatedText } from '../statistics/beside-text.js';
import { warningsText } from '../statistics/error-lines.js';
import { dollarsText, percentText } from '../statistics/figure-text.js';
import { ofTrialText, trialRows } from '../statistics/trial-figures.js';
import { errorFacts, type Fact, factTable } from './fact-table.js';

export function percent(share: number | null): string {
  return share === null ? '–' : percentText(share);
}

export function dollars(cost: number | null): string {
  return cost === null ? 'unknown' : dollarsText(cost);
}

const callsText = (totals: Totals) => {
  const { lm_calls, lm_calls_repeated, lm_calls_maybe_repeated = 0 } = totals;
  const repeated = lm_calls_repeated + lm_calls_maybe_repeated > 0 ? `, ${repeatedText(totals)}` : '';
  return `${lm_calls}${repeated}${estimatedText(totals)}`;
};

function warningFacts(metrics: Metrics | null): Fact[] {
  return metrics !== null && metrics.warnings > 0 ? [['warnings', warningsText(metrics)]] : [];
}

/** The table that the Temporal UI shows for a run. */
export function progressMarkdown(progress: Progress, metrics: Metrics | null): string {
  const { totals } = progress;
  const ofTrial = ofTrialText(progress.accuracy_of);
  const rows: Fact[] = [
    ['phase', progress.phase],
    ['samples', `${totals.samples} of ${progress.samples_planned}`],
    [`correct${ofTrial}`, String(totals.correct)],
    [`accuracy${ofTrial}`, `${percent(progress.accuracy)}${progress.simulated ? ' (simulated model)' : ''}`],
    ['errors', String(totals.errors)],
    ...errorFacts(metrics?.error_types, metrics?.error_causes),
    ...warningFacts(metrics),
    ['episodes', String(totals.episodes)],
    ['LM calls', callsText(totals)],
    ['tokens in / out', `${totals.input_tokens} / ${totals.output_tokens}`],
    ['cost', dollars(totals.cost_usd)],
    ...besideRows(totals),
    ['concurrency', String(progress.concurrency)],
    ['artifacts', progress.artifacts === '' ? '–' : { code: progress.artifacts }],
  ];
  if (metrics !== null) rows.push(...trialRows(metrics));
  const [order, prompts, trials] = metrics?.in_words ?? progress.means ?? [];
  if (order !== undefined) rows.push(['order', order]);
  if (prompts !== undefined) rows.push(['prompts', prompts]);
  if (trials !== undefined) rows.push(['trials', trials]);
  if (progress.message !== null) rows.push(['note', progress.message]);
  return factTable(progress.experiment, rows).join('\n');
}
