import type { JudgeMetrics, JudgeProgress, JudgeResult } from '../contracts/judge.js';
import { scoreOrDash } from '../evolution/scores.js';
import { countedText, scoreText } from '../statistics/figure-text.js';
import { intervalText } from '../statistics/trial-figures.js';
import {
  artifactLines,
  costSoFarText,
  errorReport,
  headedTable,
  percent,
  shownAddress,
  spendingRows,
  stateParts,
  statusText,
} from './format.js';

/** Where a judgement stands, in a line. */
export function judgeSummary(progress: JudgeProgress): string {
  const { steps_planned, totals, mean_scores } = progress;
  const { judged, errors, malformed, cost_usd } = totals;
  const parts = [
    `${judged} of ${steps_planned} steps judged`,
    ...Object.entries(mean_scores).map(([name, score]) => `${name} ${scoreOrDash(score)}`),
  ];
  if (errors > 0) parts.push(countedText(errors, 'error'));
  if (malformed > 0) parts.push(`${malformed} malformed ${malformed === 1 ? 'reply' : 'replies'}`);
  if (cost_usd !== 0) parts.push(costSoFarText(cost_usd));
  return [...parts, ...stateParts(progress)].join(' · ');
}

/** A judgement in progress: where it stands, who judges, and where it writes. */
export function judgeStanding(progress: JudgeProgress): string {
  const { model, artifacts, concurrency } = progress;
  return [
    judgeSummary(progress),
    ...(model === '' ? [] : [`Judge: ${model}, steps at once: ${concurrency}`]),
    ...artifactLines(artifacts),
  ].join('\n');
}

const scoreInterval = (interval: [number, number] | null | undefined) =>
  interval == null ? '' : `, 95 % interval ${interval.map(scoreText).join(' to ')}`;

function successRows(metrics: JudgeMetrics): string[][] {
  const { episodes_judged: judged, episodes_succeeded, success_rate, success_rate_interval } = metrics;
  if (!(judged > 0)) return [];
  const share = `${percent(success_rate)}, ${intervalText(success_rate_interval)}`;
  return [['successes', `${episodes_succeeded} of ${judged} trajectories judged as a whole: ${share}`]];
}

/** The result of a judgement, as people read it. The numbers are those of `metrics.json`. */
export function judgeTable(metrics: JudgeMetrics): string {
  const { steps, steps_planned, errors, errors_by_type } = metrics;
  const ofPlanned = steps === steps_planned ? '' : ` of ${steps_planned}`;
  const rows = [
    ['status', statusText(metrics)],
    ['judge', metrics.model + (metrics.simulated ? ' (a simulation: no figure)' : '')],
    ['rubric', `${metrics.rubric}, rewards ${metrics.show_reward ? 'shown' : 'withheld'}`],
    ['steps judged', `${steps}${ofPlanned}, of ${metrics.trajectories} trajectories`],
    ...Object.entries(metrics.scores).map(
      ([
        name,
        {
          mean,
          interval,
          range: [lowest, highest],
        },
      ]) => [`mean ${name}`, `${scoreOrDash(mean)} (${lowest} to ${highest})${scoreInterval(interval)}`],
    ),
    ...successRows(metrics),
    ['errors', errors === 0 ? '0' : `${errors}, no scores`],
    ['malformed replies', String(metrics.malformed_replies)],
    ...spendingRows(metrics),
  ];
  return [headedTable([], rows), ...errorReport(errors_by_type, metrics.error_causes)].join('\n');
}

/** The table, and where the artifacts are. */
export function judgeReport({ artifacts, metrics }: JudgeResult): string {
  return `${judgeTable(metrics)}\nArtifacts: ${shownAddress(artifacts)}`;
}
