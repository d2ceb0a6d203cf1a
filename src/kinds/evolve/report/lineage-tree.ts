import { type Html, html } from '../../../reports/html.js';
import { scrollStart } from '../../../reports/table.js';
import { type LineageNode, latestScore } from '../evolution/lineage.js';
import { scaffoldAnchor } from './addresses.js';
import type { PlacedNode } from './lineage-layout.js';
import { STATUS_WORDS } from './scaffold-text.js';
import { alignedScore, colourClass, colourClasses, type ScoreScale } from './score-scale.js';

/** Sizes in pixels. */
const ROW = 22;
const MARGIN = 14;
const WIDEST_STEP = 34;
const NARROWEST_STEP = 12;
/** Width of all iterations together, so that a tree of ten fits a phone. */
const WANTED_WIDTH = 240;
const LETTER = 7.4;
/** Maximum scaffolds without a frame that scrolls. */
const MAX_UNFRAMED = 60;

/** Draws the forest of scaffolds: one row each, further right the later it was made, coloured by its newest score. */
export function lineageTree(placed: readonly PlacedNode[], best: string | null, scale: ScoreScale): Html {
  if (placed.length === 0) return html`<p>There are no scaffolds.</p>`;
  const last = placed.reduce((latest, { node }) => Math.max(latest, node.iteration), 0);
  const step = Math.min(WIDEST_STEP, Math.max(NARROWEST_STEP, WANTED_WIDTH / Math.max(1, last)));
  const across = (node: LineageNode) => Math.round(MARGIN + node.iteration * step);
  const down = (row: number) => row * ROW + ROW / 2;
  const edges = placed.flatMap((child) => {
    const parent = child.parentRow === null ? undefined : placed[child.parentRow];
    if (parent === undefined) return [];
    const [x, y, toX, toY] = [across(parent.node), down(parent.row), across(child.node), down(child.row)];
    const bend = Math.max(0, Math.min(6, toX - x));
    return [{ child, path: `M${x} ${y}V${toY - bend}q0 ${bend} ${bend} ${bend}H${toX}` }];
  });
  const width = Math.max(
    ...placed.map(({ node }) => across(node) + LETTER * (node.id.length + remark(node, best).length + 10)),
  );
  const drawing = html`<svg width="${Math.ceil(width)}" height="${placed.length * ROW}" role="group" aria-label="Lineage of ${placed.length} scaffolds; the table below has the same figures">
<g class="edges">
${edges.filter(({ child }) => !child.leadsToBest).map(({ path }) => html`<path d="${path}"/>\n`)}${edges.filter(({ child }) => child.leadsToBest).map(({ path }) => html`<path class="to-best" d="${path}"/>\n`)}</g>
<g class="nodes">
${placed.map((one) => drawnNode(one, across(one.node), down(one.row), best, scale))}</g>
</svg>`;
  const isFramed = placed.length > MAX_UNFRAMED;
  return html`${legend(scale)}${scrollStart({ label: 'Lineage tree', isFramed, kind: 'tree' })}
${drawing}
</div>
`;
}

function drawnNode(
  { node, leadsToBest }: PlacedNode,
  x: number,
  y: number,
  best: string | null,
  scale: ScoreScale,
) {
  const score = latestScore(node.valid);
  const said = remark(node, best);
  return html`<a href="#${scaffoldAnchor(node.id)}" tabindex="-1"${leadsToBest && html` class="to-best"`}>${mark(node, x, y, scale)}<text x="${x + 12}" y="${y + 4}">${node.id}${score !== undefined && html`<tspan class="score" dx="8">${alignedScore(scale, score.score)}</tspan>`}${said !== '' && html`<tspan class="said" dx="8">${said}</tspan>`}</text></a>\n`;
}

/** Draws a shape for each status, so that colour is not the only sign. */
function mark({ status, valid }: LineageNode, x: number, y: number, scale: ScoreScale): Html {
  const colour = colourClass(scale, latestScore(valid)?.score);
  if (status === 'failed') return html`<path class="failed" d="M${x - 4} ${y - 4}l8 8m0 -8l-8 8"/>`;
  if (status === 'duplicate')
    return html`<rect class="c-none" x="${x - 4.5}" y="${y - 4.5}" width="9" height="9"/>`;
  return html`<circle class="${colour}" cx="${x}" cy="${y}" r="6"/>`;
}

function remark({ id, status, duplicate_of }: LineageNode, best: string | null): string {
  if (id === best) return '★ best';
  if (status === 'validated') return '';
  return status === 'duplicate' && duplicate_of !== undefined
    ? `same as ${duplicate_of}`
    : STATUS_WORDS[status];
}

function legend(scale: ScoreScale): Html {
  const [low, high] = [scale.low.toFixed(scale.digits), scale.high.toFixed(scale.digits)];
  return html`<p class="legend">
<span>validation score ${low} <svg width="132" height="12" aria-hidden="true">${colourClasses.map((colour, index) => html`<rect class="${colour}" x="${index * 12}" width="12" height="12"/>`)}</svg> ${high}</span>
<span><svg width="14" height="14" aria-hidden="true"><circle class="c-none" cx="7" cy="7" r="6"/></svg> not validated</span>
<span><svg width="14" height="14" aria-hidden="true"><rect class="c-none" x="2.5" y="2.5" width="9" height="9"/></svg> duplicate</span>
<span><svg width="14" height="14" aria-hidden="true"><path class="failed" d="M3 3l8 8m0 -8l-8 8"/></svg> failed</span>
<span><svg width="26" height="14" aria-hidden="true"><path class="to-best" d="M1 7H25"/></svg> way to the best</span>
</p>
`;
}
