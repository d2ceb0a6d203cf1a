import { factList, NOTHING } from '../../../reports/figures.js';
import { type Content, type Html, html } from '../../../reports/html.js';
import { pageEnd, pageStart, section } from '../../../reports/page.js';
import { reportHead } from '../../../reports/report-head.js';
import { scoreText } from '../../../statistics/figure-text.js';
import { isScaffoldId } from '../evolution/ids.js';
import { scaffoldFolder } from '../evolution/layout.js';
import { type LineageNode, latestScore } from '../evolution/lineage.js';
import { iterationText } from '../evolution/progress-lines.js';
import type { ScaffoldFiles } from '../evolution/types.js';
import { EVOLVE_FACTS } from '../facts.js';
import type { EvolveMetrics } from '../results.js';
import { fileAddress, scaffoldAnchor } from './addresses.js';
import { compareFiles } from './code-diff.js';
import { CodeBudget, codeView } from './code-view.js';
import { layOut, type PlacedNode } from './lineage-layout.js';
import { lineageTree } from './lineage-tree.js';
import { scaffoldTable, statusWord } from './scaffold-table.js';
import { scoreChart } from './score-chart.js';
import { type ScoreScale, scoreFigure, scoreScale } from './score-scale.js';

/** Maximum characters of code, which a browser opens at once, even on a phone: 300 scaffolds of 10 kB fit. */
const MAX_CODE = 8_000_000;

export interface EvolutionReportInput {
  metrics: EvolveMetrics;
  /** In any order. */
  nodes: readonly LineageNode[];
  /** Returns the means of a scaffold's metrics in its newest validation. */
  metricsOf?(node: LineageNode): Readonly<Record<string, number>>;
  /** Returns the files of a scaffold; null where it has none. Called for one scaffold at a time. */
  files(id: string): Promise<ScaffoldFiles | null>;
}

/**
 * Writes `report.html` of an evolution, piece by piece: figures, scores by iteration, lineage, table, and the code of
 * each scaffold with its changes to its parent's. The page is self-contained: it loads nothing and needs no script.
 * Only the files of one scaffold and of its ancestors are in memory.
 * @throws what `files` throws.
 */
export async function* evolutionReport(input: EvolutionReportInput): AsyncGenerator<string> {
  const { metrics, nodes, files, metricsOf = () => ({}) } = input;
  const best = metrics.best?.id ?? null;
  const placed = layOut(nodes, best);
  const scores = nodes.flatMap(({ valid }) => valid.map(({ score }) => score));
  const scale = scoreScale(
    [...scores, ...metrics.best_by_iteration.filter((score) => score !== null)],
    nodes.flatMap(({ train }) => train.map(({ score }) => score)),
  );
  yield await pageStart(`${metrics.experiment}: evolution report`);
  yield reportHead(metrics, {
    facts: EVOLVE_FACTS,
    kind: 'Evolution report',
    sections: { scores: 'Scores', lineage: 'Lineage', scaffolds: 'Scaffolds', code: 'Code' },
    changes: metrics.code_changes ?? [],
    what: 'iterations',
    links: bestLinks(metrics),
  }).text;
  yield section(
    'scores',
    'Score by iteration',
    scoreChart(
      metrics,
      placed.map(({ node }) => node),
      scale,
    ),
  ).text;
  yield section('lineage', 'Lineage', lineageTree(placed, best, scale)).text;
  yield section('scaffolds', 'Scaffolds', scaffoldTable(placed, best, scale)).text;
  yield '<section id="code" aria-labelledby="code-title">\n<h2 id="code-title">Code</h2>\n';
  yield html`<p class="note">Each scaffold beside its parent: lines marked + are new, lines marked − are gone, and what did
not change is folded away. Line numbers are the scaffold's own.<span class="paper"> On paper are the scaffolds that were
open when the page was printed.</span></p>\n`.text;
  const budget = new CodeBudget(MAX_CODE);
  const ancestors: { id: string; files: ScaffoldFiles | null }[] = [];
  for (const place of placed) {
    const { node } = place;
    // In the order of the tree, a parent is still on the stack when its child follows.
    while (ancestors.length > 0 && ancestors.at(-1)?.id !== node.parent_scaffold_id) ancestors.pop();
    const own = node.status === 'failed' ? null : await files(node.id);
    yield scaffoldSection(place, own, ancestors.at(-1)?.files ?? null, {
      metrics,
      measured: metricsOf(node),
      best,
      scale,
      budget,
    }).text;
    ancestors.push({ id: node.id, files: own });
  }
  yield '</section>\n';
  yield pageEnd();
}

/** Returns links to the best scaffold: on this page, and in the folder. */
function bestLinks(metrics: EvolveMetrics): [string, Content][] {
  const { best } = metrics;
  if (best === null) return [];
  const scaffold = html`<a href="#${scaffoldAnchor(best.id)}">${best.id}</a> in ${iterationText(best.iteration, metrics)}`;
  return [
    ['best scaffold', scaffold],
    ['best program', html`<a href="${fileAddress(best.path)}"><code>${best.path}</code></a>`],
  ];
}

interface Surroundings {
  metrics: EvolveMetrics;
  measured: Readonly<Record<string, number>>;
  best: string | null;
  scale: ScoreScale;
  budget: CodeBudget;
}

function scaffoldSection(
  { node, leadsToBest }: PlacedNode,
  files: ScaffoldFiles | null,
  parent: ScaffoldFiles | null,
  surroundings: Surroundings,
): Html {
  const { id, iteration } = node;
  const { best, scale, budget } = surroundings;
  const score = latestScore(node.valid);
  const changes = files === null ? [] : compareFiles(files, parent);
  const [added, removed] = [sum(changes, 'added'), sum(changes, 'removed')];
  // The path needs a valid id; an invalid one is from a damaged lineage.
  const address = (path: string) =>
    isScaffoldId(id) ? fileAddress(`${scaffoldFolder(iteration, 'new', id)}/${path}`) : null;
  return html`<details class="scaffold" id="${scaffoldAnchor(id)}">
<summary><h3>${id}</h3>${id === best && html` <span class="star">★ best</span>`} ${node.status === 'validated' ? html`<b>${scoreFigure(scale, score?.score)}</b>` : statusWord(node, false)}${parent !== null && files !== null && html` <small><span class="plus">+${added}</span> <span class="minus">−${removed}</span></small>`}</summary>
${facts(node, surroundings)}${
  files === null
    ? html`<p>${node.status === 'failed' ? 'There is no program.' : 'Its code is not in the experiment.'}</p>`
    : codeView(changes, { budget, isWhole: leadsToBest, address })
}</details>
`;
}

function facts(node: LineageNode, { metrics, measured, scale }: Surroundings): Html {
  const { parent_scaffold_id: parent, iteration, valid, train, error } = node;
  const validations = valid.map(
    (one, index) =>
      html`${index > 0 && ', '}${scoreFigure(scale, one.score)} in ${iterationText(one.iteration, metrics)}`,
  );
  const trainings = train.map((one, index) => {
    const example = html`<code>${one.example_id}</code>`;
    return html`${index > 0 && ', '}${scoreFigure(scale, one.score)} on ${example} in iteration ${one.iteration}`;
  });
  return html`${factList([
    ['parent', parent === null ? NOTHING : html`<a href="#${scaffoldAnchor(parent)}">${parent}</a>`],
    ['made in iteration', iteration],
    ['status', statusWord(node)],
    ['validation scores', valid.length === 0 ? NOTHING : validations],
    ...Object.entries(measured).map(([name, mean]): [string, string] => [`${name}, newest`, scoreText(mean)]),
    ['training runs', train.length === 0 ? NOTHING : trainings],
  ])}${error !== undefined && html`<pre class="error">\n${error}</pre>\n`}`;
}

const sum = (changes: readonly { added: number; removed: number }[], which: 'added' | 'removed') =>
  changes.reduce((total, change) => total + change[which], 0);
