import { errorSection } from '../../reports/error-table.js';
import { count } from '../../reports/figures.js';
import { type Html, html } from '../../reports/html.js';
import { pageEnd, pageStart, section } from '../../reports/page.js';
import { factTable, reportHead, tablesOf } from '../../reports/report-head.js';
import { numberCell, table } from '../../reports/table.js';
import { AGENT_EVAL_FACTS, groupFacts } from './facts.js';
import type { AgentEvalMetrics } from './results.js';

/**
 * Renders `report.html` of an evaluation on task bundles: figures, pass@k and pass^k, the rows, and how rollouts ended.
 * The page is self-contained: it loads nothing and needs no script.
 */
export async function* agentEvalReport(metrics: AgentEvalMetrics): AsyncGenerator<string> {
  const none = (text: string) => html`<p>${text}</p>\n`;
  const groups = tablesOf(groupFacts(metrics, Number.POSITIVE_INFINITY));
  yield await pageStart(`${metrics.experiment}: agent evaluation`);
  yield reportHead(metrics, {
    facts: AGENT_EVAL_FACTS,
    kind: 'Agent evaluation',
    sections: {
      pass: 'Pass',
      metrics: 'Metrics',
      ...(groups === null ? {} : { groups: 'Groups' }),
      rows: 'Rows',
      endings: 'Endings',
      errors: 'Errors',
    },
    changes: metrics.code_changes,
    what: 'rollouts',
  }).text;
  const explained = html`<p class="note">The chance that one of k rollouts of a row is a success, and that each of them is.</p>\n`;
  const pass = factTable(metrics, AGENT_EVAL_FACTS, 'pass') ?? none('No rollout was judged.');
  yield section('pass', 'Pass@k and pass^k', html`${pass}${explained}`).text;
  const named = factTable(metrics, AGENT_EVAL_FACTS, 'reward_metrics') ?? none('The reward names none.');
  yield section('metrics', 'Metrics of the reward', named).text;
  if (groups !== null) yield section('groups', 'Groups', groups).text;
  yield section('rows', 'Rows', factTable(metrics, AGENT_EVAL_FACTS, 'by_row') ?? none('There are none.'))
    .text;
  yield section('endings', 'How rollouts ended', endingTable(metrics)).text;
  yield errorSection(metrics, 'rollout').text;
  yield pageEnd();
}

function endingTable({ endings, user_faults }: AgentEvalMetrics): Html {
  const faults = Object.entries(user_faults).map(
    ([fault, number]) => [`user_fault: ${fault}`, number] as const,
  );
  const rows = [...Object.entries(endings), ...faults]
    .filter(([, number]) => number > 0)
    .map(
      ([ending, number]) =>
        html`<tr><th scope="row"><code>${ending}</code></th>${numberCell(count(number))}</tr>\n`,
    );
  if (rows.length === 0) return html`<p>No rollout has ended.</p>\n`;
  return table({ label: 'Table of endings', heads: ['ended by', 'rollouts'] }, rows);
}
