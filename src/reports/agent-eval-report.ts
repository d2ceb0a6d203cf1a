import type { AgentEvalMetrics } from '../contracts/agent-eval-results.js';
import { ROLLOUTS_OF_ROWS, weightsText } from '../statistics/pass-at-k.js';
import { errorTable } from './error-table.js';
import {
  count,
  countRow,
  exactFigures,
  type Figure,
  factList,
  figureTiles,
  moment,
  percentage,
  shortFigure,
  spendingFigures,
} from './figures.js';
import { type Html, html } from './html.js';
import { adaptationNotice, codeChangeNotice, endNotice, simulationNotice } from './notices.js';
import { pageEnd, pageHeader, pageStart, section } from './page.js';
import { numberCell, table } from './table.js';

/** What a browser lays out at once; all rows are in `metrics.json`. */
const MOST_ROWS = 1000;

/**
 * `report.html` of an evaluation on task bundles: figures, pass@k and pass^k, the rows, and how rollouts ended. The page
 * stands alone: it loads nothing and needs no script.
 */
export async function* agentEvalReport(metrics: AgentEvalMetrics): AsyncGenerator<string> {
  yield await pageStart(`${metrics.experiment}: agent evaluation`);
  yield pageHeader({
    kind: 'Agent evaluation',
    name: metrics.name,
    experiment: metrics.experiment,
    sections: { pass: 'Pass', metrics: 'Metrics', rows: 'Rows', endings: 'Endings', errors: 'Errors' },
  }).text;
  yield html`${simulationNotice(metrics.simulated)}${endNotice(metrics)}${codeChangeNotice(metrics.code_changes, 'rollouts')}${adaptationNotice(metrics)}`
    .text;
  yield section('figures', 'Figures', figures(metrics)).text;
  yield section('pass', 'Pass@k and pass^k', passTable(metrics)).text;
  yield section('metrics', 'Metrics of the reward', metricTable(metrics)).text;
  yield section('rows', 'Rows', rowTable(metrics)).text;
  yield section('endings', 'How rollouts ended', endingTable(metrics)).text;
  yield section('errors', 'Errors', errorTypes(metrics)).text;
  yield pageEnd();
}

function figures(metrics: AgentEvalMetrics): Html {
  const facts = factList([
    ['agent', html`<code>${metrics.agent_model}</code>`],
    ['user', html`<code>${metrics.user_model ?? 'none'}</code>`],
    ['started', moment(metrics.started_at)],
    ['ended', moment(metrics.ended_at)],
  ]);
  const tiles = figureTiles([...outcomeFigures(metrics), ...spendingFigures(metrics)]);
  return html`${tiles}${facts}${exactFigures(metrics, 'metrics.json')}`;
}

function outcomeFigures(metrics: AgentEvalMetrics): Figure[] {
  const { mean_reward_interval: interval, user_faults } = metrics;
  const spoiled = Object.values(user_faults).reduce((sum, faults) => sum + faults, 0);
  return [
    {
      name: 'Mean reward',
      value: shortFigure(metrics.mean_reward),
      note: html`each rollout alike${interval !== null && html`; ${bounds(interval)}, rows resampled`}`,
    },
    {
      name: 'Rollouts',
      value: count(metrics.rollouts),
      note: html`judged, of ${count(metrics.rollouts_planned)} of ${count(metrics.rows)} rows`,
    },
    { name: 'Errors', value: count(metrics.errors), note: 'could not be judged; in no rate' },
    {
      name: 'Faulty users',
      value: count(spoiled),
      note: 'rollouts that the simulated user spoiled; in no rate',
    },
    {
      name: 'Tool calls',
      value: count(metrics.tool_calls),
      note: html`${count(metrics.tool_calls_failed)} failed; ${count(metrics.agent_turns)} replies of the agent`,
    },
  ];
}

function bounds([lower, upper]: readonly [number, number]): Html {
  return html`95\u00a0%: ${shortFigure(lower)} to ${shortFigure(upper)}`;
}

function metricTable({ reward_metrics }: AgentEvalMetrics): Html {
  const all = Object.entries(reward_metrics);
  if (all.length === 0) return html`<p>The reward names none.</p>\n`;
  const rows = all.slice(0, MOST_ROWS).map(([name, { rollouts, mean, interval }]) => {
    const cells = [count(rollouts), shortFigure(mean), interval === null ? 'no interval' : bounds(interval)];
    return html`<tr><th scope="row"><code>${name}</code></th>${cells.map(numberCell)}</tr>\n`;
  });
  const heads = ['metric', 'rollouts', 'mean', 'interval'];
  return html`${table({ label: 'Table of the reward’s metrics', heads }, rows)}<p class="note">Means over the rollouts that have the metric, each alike; intervals from rows resampled.</p>
`;
}

function passTable({ pass_at_k, pass_hat_k, pass_rows, pass_warning }: AgentEvalMetrics): Html {
  const rows = pass_at_k.map((share, index) => {
    const shares = [share, pass_hat_k[index] ?? null].map((one) => percentage(one));
    const cells = [...shares, count(pass_rows[index] ?? 0)].map(numberCell);
    return html`<tr><th scope="row">${index + 1}</th>${cells}</tr>\n`;
  });
  return html`${table({ label: 'Table of pass@k and pass^k', heads: ['k', 'pass@k', 'pass^k', 'rows'] }, rows)}<p class="note">The chance that one of k rollouts of a row is a success, and that each of them is. ${weightsText(ROLLOUTS_OF_ROWS)}</p>
${pass_warning !== undefined && html`<p class="note"><strong>Warning:</strong> ${pass_warning}.</p>\n`}`;
}

function rowTable({ by_row }: AgentEvalMetrics): Html {
  const all = Object.entries(by_row);
  const rows = all.slice(0, MOST_ROWS).map(([row, { rollouts, mean_reward, successes }]) => {
    const cells = [count(rollouts), count(successes), shortFigure(mean_reward)].map(numberCell);
    return html`<tr><th scope="row"><code>${row}</code></th>${cells}</tr>\n`;
  });
  const cut =
    all.length > MOST_ROWS &&
    html`<p class="note">The first ${count(MOST_ROWS)} of ${count(all.length)}; all are in <a href="./metrics.json">metrics.json</a>.</p>\n`;
  const heads = ['row', 'rollouts', 'successes', 'mean reward'];
  return html`${cut}${table({ label: 'Table of rows', heads, isFramed: true }, rows)}`;
}

function endingTable({ endings, user_faults }: AgentEvalMetrics): Html {
  const faults = Object.entries(user_faults).filter(([, number]) => number > 0);
  const rows = [
    ...Object.entries(endings).map(([ending, number]) => countRow(ending, number)),
    ...faults.map(([fault, number]) => countRow(`user_fault: ${fault}`, number)),
  ];
  if (rows.length === 0) return html`<p>No rollout has ended.</p>\n`;
  return table({ label: 'Table of endings', heads: ['ended by', 'rollouts'] }, rows);
}

function errorTypes({ errors_by_type, error_causes = [] }: AgentEvalMetrics): Html {
  if (Object.keys(errors_by_type).length === 0) return html`<p>No rollout ended in an error.</p>\n`;
  return errorTable({ counts: errors_by_type, causes: error_causes }, 'rollouts');
}
