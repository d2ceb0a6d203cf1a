import type { EvolveMetrics } from '../contracts/evolve-results.js';
import { iterationText } from '../evolution/progress-lines.js';
import { fileAddress, scaffoldAnchor } from './addresses.js';
import {
  count,
  exactFigures,
  type Figure,
  factList,
  figureTiles,
  moment,
  shortFigure,
  spendingFigures,
} from './figures.js';
import { type Content, type Html, html } from './html.js';
import { adaptationNotice, codeChangeNotice, endNotice, simulationNotice } from './notices.js';
import { pageHeader, section } from './page.js';

/** Title, notices and figures. Every number comes from the metrics. */
export function evolutionHead(metrics: EvolveMetrics): Html {
  const header = pageHeader({
    kind: 'Evolution report',
    name: metrics.name,
    experiment: metrics.experiment,
    sections: { scores: 'Scores', lineage: 'Lineage', scaffolds: 'Scaffolds', code: 'Code' },
  });
  const figures = html`${figureTiles([...scoreFigures(metrics), ...workFigures(metrics), ...spendingFigures(metrics)])}
${factList(factsOf(metrics))}${exactFigures(metrics, 'metrics.json')}`;
  const notices = html`${simulationNotice(metrics.simulated)}${endNotice(metrics)}${codeChangeNotice(metrics.code_changes ?? [], 'iterations')}${adaptationNotice(metrics)}`;
  return html`${header}${notices}${section('figures', 'Figures', figures)}`;
}

function scoreFigures(metrics: EvolveMetrics): Figure[] {
  const { best } = metrics;
  if (best === null) return [{ name: 'Best score', value: shortFigure(null), note: 'nothing was validated' }];
  const link = html`<a href="#${scaffoldAnchor(best.id)}">${best.id}</a>`;
  const validation = {
    name: 'Best score',
    value: shortFigure(best.score),
    note: html`validation; ${link} in ${iterationText(best.iteration, metrics)}`,
  };
  if (best.test_score === null) return [validation];
  const note = 'of the same scaffold; no part in the choice';
  return [validation, { name: 'Test score', value: shortFigure(best.test_score), note }];
}

function workFigures(metrics: EvolveMetrics): Figure[] {
  const { scaffolds_failed: failed, scaffolds_duplicate: duplicate, scaffolds_unscored: unscored } = metrics;
  return [
    {
      name: 'Iterations',
      value: count(metrics.iterations),
      note: `with iteration 0; ${metrics.num_iterations} asked for`,
    },
    {
      name: 'Scaffolds',
      value: count(metrics.scaffolds),
      note: html`${count(failed)} failed, ${count(duplicate)} duplicate${unscored > 0 && html`, ${count(unscored)} given up`}`,
    },
    {
      name: 'Executions',
      value: count(metrics.executions),
      note: html`${count(metrics.executions_failed)} failed`,
    },
  ];
}

function factsOf(metrics: EvolveMetrics): [string, Content][] {
  const { best, executor_model: executor } = metrics;
  return [
    ['domain', metrics.domain],
    ['scaffolder', html`<code>${metrics.scaffolder_model}</code>`],
    ['executor', executor === null ? 'none' : html`<code>${executor}</code>`],
    ['selection', metrics.selection.replaceAll('_', ' ')],
    ['seed', metrics.seed],
    ['started', moment(metrics.started_at)],
    ['ended', moment(metrics.ended_at)],
    ...(best === null ? [] : [['best program', bestLink(best.path)] satisfies [string, Content]]),
  ];
}

const bestLink = (path: string) => html`<a href="${fileAddress(path)}"><code>${path}</code></a>`;
