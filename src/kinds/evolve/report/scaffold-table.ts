import { NOTHING } from '../../../reports/figures.js';
import { type Html, html } from '../../../reports/html.js';
import { table } from '../../../reports/table.js';
import { type LineageNode, latestScore } from '../evolution/lineage.js';
import { scaffoldAnchor } from './addresses.js';
import type { PlacedNode } from './lineage-layout.js';
import { STATUS_WORDS } from './scaffold-text.js';
import { colourClass, positionOn, type ScoreScale, scoreFigure } from './score-scale.js';

const MAX_UNFRAMED = 40;
/** Order in which a column is sorted first. */
const COLUMNS = {
  scaffold: 'ascending',
  parent: 'ascending',
  iteration: 'ascending',
  status: 'ascending',
  train: 'descending',
  valid: 'descending',
};
const STATUSES = Object.keys(STATUS_WORDS);

/** Shows one row per scaffold, in the order of the ids. The page's script sorts by `data-key`. */
export function scaffoldTable(placed: readonly PlacedNode[], best: string | null, scale: ScoreScale): Html {
  if (placed.length === 0) return html`<p>There are no scaffolds.</p>`;
  const places = new Map(placed.map(({ node, row }) => [node.id, row]));
  const heads = Object.entries(COLUMNS).map(
    ([name, order]) => html`<th scope="col" data-sort="${order}">${name}</th>`,
  );
  const isFramed = placed.length > MAX_UNFRAMED;
  const rows = placed.map(({ node, row }) => {
    const { id, parent_scaffold_id: parent, iteration, status } = node;
    return html`<tr${id === best && html` class="best"`}>
<th scope="row" data-key="${row}">${link(id)}${id === best && html` <span class="star">★ best</span>`}</th>
<td data-key="${parent === null ? '' : (places.get(parent) ?? '')}">${parent === null ? NOTHING : places.has(parent) ? link(parent) : parent}</td>
<td class="number" data-key="${iteration}">${iteration}</td>
<td data-key="${STATUSES.indexOf(status)}">${statusWord(node)}</td>
${scoreCell(node.train, scale, false)}
${scoreCell(node.valid, scale, true)}
</tr>\n`;
  });
  return html`${table({ label: 'Table of scaffolds', heads, isFramed, isSortable: true }, rows)}<p class="note">Scores are the newest ones: of one training example, and the mean over an iteration's validation
examples. All are with the code below.</p>
`;
}

/**
 * Shows the status, marked by a sign besides its colour. Without links it may be where a click means something else.
 */
export function statusWord({ status, duplicate_of: original }: LineageNode, isLinked = true): Html {
  const same =
    status === 'duplicate' && original !== undefined && html` of ${isLinked ? link(original) : original}`;
  return html`<span class="status ${status}">${STATUS_WORDS[status]}${same}</span>`;
}

function scoreCell(
  scores: readonly { iteration: number; score: number }[],
  scale: ScoreScale,
  isBar: boolean,
): Html {
  const newest = latestScore(scores);
  if (newest === undefined) return html`<td class="number" data-key="">${NOTHING}</td>`;
  const { score } = newest;
  const bar =
    isBar &&
    html`<svg class="bar" aria-hidden="true"><rect class="${colourClass(scale, score)}" width="${Math.round(positionOn(scale, score) * 100)}%" height="100%"/></svg>`;
  return html`<td class="number" data-key="${score}">${bar}${scoreFigure(scale, score)}</td>`;
}

const link = (id: string) => html`<a href="#${scaffoldAnchor(id)}">${id}</a>`;
