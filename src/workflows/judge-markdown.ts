import type { JudgeMetrics, JudgeProgress } from '../contracts/judge.js';
import { scoreOrDash } from '../evolution/scores.js';
import { besideRows, estimatedText } from '../statistics/beside-text.js';
import { intervalText } from '../statistics/trial-figures.js';
import { closingFacts, errorFacts, type Fact, factTable } from './fact-table.js';
import { dollars } from './progress-markdown.js';

function successFacts(metrics: Partial<JudgeMetrics> | null): Fact[] {
  const { episodes_judged, episodes_succeeded, success_rate_interval } = metrics ?? {};
  if (episodes_judged === undefined) return [];
  const share = `${episodes_succeeded} of ${episodes_judged} trajectories judged as a whole`;
  return [['successes', `${share}, ${intervalText(success_rate_interval)}`]];
}

/** What the Temporal UI shows of a judgement. */
export function judgeMarkdown(progress: JudgeProgress, metrics: JudgeMetrics | null): string {
  const { experiment, name, phase, totals, mean_scores, model } = progress;
  const { judged, errors, malformed, lm_calls, cost_usd } = totals;
  const rows: Fact[] = [
    ['phase', phase],
    ['steps', `${judged} of ${progress.steps_planned} judged, ${progress.running} in progress`],
    ...Object.entries(mean_scores).map(
      ([criterion, score]): Fact => [`mean ${criterion}`, scoreOrDash(score)],
    ),
    ...successFacts(metrics),
    ['errors', String(errors)],
    ...errorFacts(metrics?.errors_by_type, metrics?.error_causes),
    ['malformed replies', String(malformed)],
    ['judge', `${model}${progress.simulated ? ' (a simulation: no figure)' : ''}`],
    ['LM calls', `${lm_calls}${estimatedText(totals)}`],
    ['cost', dollars(cost_usd)],
    ...besideRows(totals),
    ['concurrency', String(progress.concurrency)],
    ...closingFacts(progress),
  ];
  return factTable(`${experiment}: ${name}`, rows).join('\n');
}
