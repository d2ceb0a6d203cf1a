import type { EvolveTotals, ScaffoldNode } from '../contracts/evolve.js';
import type { EvolveProgress } from '../contracts/evolve-results.js';
import { latestScoreText } from '../evolution/lineage.js';
import { besideRows, estimatedText } from '../statistics/beside-text.js';
import { scoreText } from '../statistics/figure-text.js';
import { closingFacts, type Fact, factLines, factTable, plainText } from './fact-table.js';
import { dollars } from './progress-markdown.js';

/** Rows of a table that people read in a browser. */
const MOST_ROWS = 100;

function scaffoldTable(nodes: readonly ScaffoldNode[]): string[] {
  const shown = nodes.slice(-MOST_ROWS);
  return [
    '| scaffold | parent | made in | status | train | valid | cost |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...shown.map(
      ({ id, parent_scaffold_id, iteration, status, train, valid, cost_usd }) =>
        `| ${plainText(id)} | ${plainText(parent_scaffold_id ?? '–')} | ${iteration} | ${status} | ${latestScoreText(train)} | ${latestScoreText(valid)} | ${cost_usd === undefined ? '–' : dollars(cost_usd)} |`,
    ),
    ...(shown.length < nodes.length ? [`and ${nodes.length - shown.length} before them`] : []),
  ];
}

function costFacts(totals: EvolveTotals): Fact[] {
  const { executions, executions_failed, lm_calls, cost_usd } = totals;
  return [
    ['executions', `${executions}, ${executions_failed} failed`],
    ['LM calls', `${lm_calls}${estimatedText(totals)}`],
    ['cost', cost_usd === undefined ? '–' : dollars(cost_usd)],
    ...besideRows(totals),
  ];
}

/** What the Temporal UI shows of an iteration. */
export function iterationMarkdown(
  title: string,
  nodes: readonly ScaffoldNode[],
  totals: EvolveTotals,
): string {
  return [
    `### ${title}`,
    '',
    ...scaffoldTable(nodes),
    '',
    ...factLines(costFacts(totals), '| so far | |'),
  ].join('\n');
}

/** What it shows of an experiment. */
export function evolveMarkdown(progress: EvolveProgress): string {
  const { experiment, phase, iteration, num_iterations, best, nodes, totals } = progress;
  return [
    ...factTable(experiment, [
      ['phase', phase],
      ['iteration', `${iteration} of ${num_iterations}`],
      ['best', best === null ? '–' : `${best.id} with ${scoreText(best.score)}`],
      ...costFacts(totals),
      ...closingFacts(progress),
    ]),
    '',
    ...scaffoldTable(nodes),
  ].join('\n');
}
