import type { ScaffoldNode } from '../contracts/evolve.js';
import type { EvolveMetrics, EvolveProgress, EvolveResult } from '../contracts/evolve-results.js';
import { compareScaffoldIds } from '../evolution/ids.js';
import { latestScoreText } from '../evolution/lineage.js';
import { scoreOrDash } from '../evolution/scores.js';
import { countedText, scoreText } from '../statistics/figure-text.js';
import {
  artifactLines,
  causeReport,
  changedRows,
  costSoFarText,
  dollars,
  headedTable,
  shownAddress,
  spendingRows,
  stateParts,
  statusText,
} from './format.js';

function validation({ status, valid, duplicate_of }: ScaffoldNode): string {
  if (status === 'failed') return 'failed';
  if (status === 'unscored') return 'given up';
  if (status === 'duplicate') return duplicate_of === undefined ? 'duplicate' : `same as ${duplicate_of}`;
  return latestScoreText(valid);
}

function cost({ cost_usd }: ScaffoldNode): string {
  if (cost_usd === undefined) return '–';
  return cost_usd === null ? 'unknown' : dollars(cost_usd);
}

/** Where an experiment stands, in a line. */
export function evolveSummary(progress: EvolveProgress): string {
  const { iteration, num_iterations, best } = progress;
  const parts = [`iteration ${iteration} of ${num_iterations}`];
  if (best !== null) parts.push(`best ${best.id} with ${scoreText(best.score)}`);
  parts.push(costSoFar(progress));
  return [...parts, ...stateParts(progress)].join(' · ');
}

/** `24 executions, 2 failed · 31 LM calls · $0.0123`. */
export function costSoFar({ totals }: Pick<EvolveProgress, 'totals'>): string {
  const { executions, executions_failed, lm_calls, cost_usd } = totals;
  const failed = executions_failed === 0 ? '' : `, ${executions_failed} failed`;
  return [
    `${countedText(executions, 'execution')}${failed}`,
    countedText(lm_calls, 'LM call'),
    costSoFarText(cost_usd),
  ].join(' · ');
}

/** Lines of a table that hold no scaffold: its frame, its head, and what is left out. */
const FRAME_LINES = 5;
/** A table of fewer rows tells nothing. */
const FEWEST_ROWS = 3;

/** The scaffolds of an experiment, the newest last, in at most so many lines. */
export function scaffoldTable(nodes: readonly ScaffoldNode[], mostLines = Number.POSITIVE_INFINITY): string {
  const sorted = [...nodes].sort(
    (left, right) => left.iteration - right.iteration || compareScaffoldIds(left.id, right.id),
  );
  const room = Math.max(mostLines - FRAME_LINES, FEWEST_ROWS);
  const shown = sorted.slice(-room);
  const rows = shown.map((node) => [
    String(node.iteration),
    node.id,
    node.parent_scaffold_id ?? '–',
    latestScoreText(node.train),
    validation(node),
    cost(node),
  ]);
  const left = sorted.length - shown.length;
  const drawn = headedTable(['iteration', 'scaffold', 'parent', 'train', 'valid', 'cost'], rows);
  return left === 0 ? drawn : `and ${left} before them\n${drawn}`;
}

/** The result of an evolution, as people read it. The numbers are those of `metrics.json`. */
export function evolveTable(metrics: EvolveMetrics): string {
  const { best } = metrics;
  const scores = metrics.best_by_iteration.map((score, iteration) => `${iteration}: ${scoreOrDash(score)}`);
  if (best !== null && best.iteration >= metrics.iterations) {
    scores.push(`${metrics.status === 'done' ? 'closing' : best.iteration}: ${scoreText(best.score)}`);
  }
  const lost = [
    ...(metrics.scaffolds_failed === 0 ? [] : [`${metrics.scaffolds_failed} failed`]),
    ...(metrics.scaffolds_unscored === 0 ? [] : [`${metrics.scaffolds_unscored} given up without a score`]),
    ...(metrics.scaffolds_duplicate === 0 ? [] : [`${metrics.scaffolds_duplicate} duplicates`]),
  ];
  const rows = [
    ['status', statusText(metrics)],
    ['domain', `${metrics.domain}, selection ${metrics.selection}, seed ${metrics.seed}`],
    [
      'scaffolder',
      metrics.scaffolder_model + (metrics.simulated ? ' (a simulation: no benchmark figure)' : ''),
    ],
    ['executor', metrics.executor_model ?? 'none'],
    ['iterations', `${metrics.iterations} of ${metrics.num_iterations + 1}, the first one included`],
    ['best by iteration', scores.join(', ')],
    ['scaffolds', [String(metrics.scaffolds), ...lost].join(', ')],
    ...changedRows(metrics.code_changes, 'iterations'),
    ['executions', `${metrics.executions}, ${metrics.executions_failed} failed`],
    ...spendingRows(metrics),
    ['best scaffold', best === null ? 'none was validated' : best.id],
  ];
  if (best !== null) rows.push(['validation score', scoreText(best.score)]);
  for (const [name, mean] of Object.entries(best?.metrics ?? {})) rows.push([name, scoreText(mean)]);
  if (best !== null && best.test_score !== null) rows.push(['test score', scoreText(best.test_score)]);
  return [headedTable([], rows), ...causeReport(metrics.error_causes)].join('\n');
}

/** The table, and where the best scaffold and the artifacts are. */
export function evolveReport({ artifacts, metrics }: EvolveResult): string {
  const address = shownAddress(artifacts);
  const lines = [evolveTable(metrics)];
  if (metrics.best !== null) {
    const { path, score, test_score } = metrics.best;
    const test = test_score === null ? '' : `, test score ${scoreText(test_score)}`;
    lines.push(`Best scaffold: ${address}/${path} (validation score ${scoreText(score)}${test})`);
  }
  return [...lines, `Artifacts: ${address}`].join('\n');
}

/** An evolution in progress: its scaffolds, where it stands, and where it writes. */
export function evolveStanding(progress: EvolveProgress): string {
  const { nodes, artifacts } = progress;
  return [
    ...(nodes.length === 0 ? [] : [scaffoldTable(nodes)]),
    evolveSummary(progress),
    ...artifactLines(artifacts),
  ].join('\n');
}
