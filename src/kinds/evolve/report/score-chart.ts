import { NOTHING } from '../../../reports/figures.js';
import { type Html, html } from '../../../reports/html.js';
import { table } from '../../../reports/table.js';
import { groupBy } from '../../../statistics/group-by.js';
import type { LineageNode } from '../evolution/lineage.js';
import { iterationText } from '../evolution/progress-lines.js';
import type { EvolveMetrics } from '../results.js';
import { scaffoldAnchor } from './addresses.js';
import { colourClass, positionOn, type ScoreScale, scoreFigure } from './score-scale.js';

/** Pixels; the plot has the same height at every width. */
const PLOT = { top: 14, height: 230, below: 44 };
/** Percent of the drawing's width, so that it needs no scaling and its text is as large on a phone. */
const LEFT = 9;
const RIGHT = 98.5;
const MAX_LABELS = 12;
/**
 * Radius, and distance between dots where several scaffolds have about the same score: pixels, percent of the width.
 */
const DOT = { radius: 4.5, step: 9, share: 1.1 };
const SMALL_DOT = { radius: 3, step: 6, share: 0.75 };
/** Number of iterations from which dots are small. */
const MANY_ITERATIONS = 16;
/** Width in pixels. */
const NARROWEST_PLOT = 300;

interface Dot {
  id: string;
  iteration: number;
  score: number;
}

/** Positions in the plot. */
interface Plot {
  scale: ScoreScale;
  /** First iteration that is shown, and the number of those shown. */
  first: number;
  iterations: number;
  /** Returns percent. */
  across(iteration: number): number;
  /** Returns pixels. */
  down(score: number): number;
  dot: typeof DOT;
  /** Names an iteration in words. */
  nameOf(iteration: number): string;
}

/** Draws the best validation score of each iteration as a line, and each validated scaffold as a dot. */
export function scoreChart(metrics: EvolveMetrics, nodes: readonly LineageNode[], scale: ScoreScale): Html {
  const dots = nodes.flatMap(({ id, valid }) => valid.map((one) => ({ id, ...one })));
  const line = metrics.best_by_iteration.flatMap((score, iteration) =>
    score === null ? [] : [{ iteration, score }],
  );
  if (dots.length === 0 && line.length === 0) return html`<p>Nothing has been validated.</p>\n`;
  const plot = plotOf(
    [...dots, ...line].map(({ iteration }) => iteration),
    scale,
    metrics,
  );
  return html`<figure class="chart">
<svg width="100%" height="${PLOT.top + PLOT.height + PLOT.below}" role="group" aria-label="Validation scores by iteration; the table below has the same figures">
${axes(plot, metrics)}${bestLine(line, plot)}<g class="dots">
${spread(dots, plot)}</g>
</svg>
<figcaption>Line: the best of each iteration. Dots: every scaffold that the iteration validated. Each iteration draws
its own validation examples, so a scaffold's score may change from one to the next while its code does not.</figcaption>
</figure>
${scoreTable(metrics, dots, scale)}`;
}

function plotOf(shown: readonly number[], scale: ScoreScale, metrics: EvolveMetrics): Plot {
  const first = shown.reduce((least, one) => Math.min(least, one));
  const iterations = shown.reduce((most, one) => Math.max(most, one)) - first + 1;
  return {
    scale,
    first,
    iterations,
    across: (iteration) => LEFT + ((iteration - first + 0.5) / iterations) * (RIGHT - LEFT),
    down: (score) => round(PLOT.top + (1 - positionOn(scale, score)) * PLOT.height),
    dot: iterations < MANY_ITERATIONS ? DOT : SMALL_DOT,
    nameOf: (iteration) => iterationText(iteration, metrics),
  };
}

function axes({ scale, first, iterations, across, down }: Plot, metrics: EvolveMetrics): Html {
  const bottom = PLOT.top + PLOT.height;
  const every = Math.ceil(iterations / MAX_LABELS);
  const labelled = Array.from({ length: Math.ceil(iterations / every) }, (_, index) => first + index * every);
  const marks = scale.ticks.map((tick) => {
    const y = down(tick);
    return html`<line class="grid" x1="${LEFT}%" x2="${RIGHT}%" y1="${y}" y2="${y}"/><text x="${LEFT}%" dx="-8" y="${y}" dy=".35em" text-anchor="end">${tick.toFixed(scale.digits)}</text>\n`;
  });
  const labels = labelled.map(
    (iteration) =>
      html`<text x="${round(across(iteration))}%" y="${bottom + 18}" text-anchor="middle">${placeText(iteration, metrics)}</text>\n`,
  );
  const title = html`<text x="${(LEFT + RIGHT) / 2}%" y="${bottom + 38}" text-anchor="middle">iteration</text>`;
  return html`<g class="axis">\n${marks}${labels}${title}\n</g>\n`;
}

/** Draws a line that is dashed over iterations in which nothing was validated. */
function bestLine(line: readonly Omit<Dot, 'id'>[], { across, down }: Plot): Html {
  const pieces = line.slice(1).map((to, index) => {
    const from = line[index] as typeof to;
    const gap = to.iteration - from.iteration > 1 && html` class="gap"`;
    const [x1, x2] = [round(across(from.iteration)), round(across(to.iteration))];
    return html`<line${gap} x1="${x1}%" y1="${down(from.score)}" x2="${x2}%" y2="${down(to.score)}"/>\n`;
  });
  return html`<g class="best-line">\n${pieces}</g>\n`;
}

/**
 * Places dots side by side that would hide each other: by pixels where an iteration's share of the narrowest plot has
 * room for them, else by shares of the width, which is crowded on a phone but not on a screen.
 */
function spread(dots: readonly Dot[], plot: Plot): Html[] {
  const { step, share } = plot.dot;
  const groups = groupBy(
    dots,
    ({ iteration, score }) => `${iteration} ${Math.round(plot.down(score) / step)}`,
  );
  return [...groups.values()].flatMap((group) => {
    const steps = Math.max(1, group.length - 1);
    const hasRoom = steps * step <= NARROWEST_PLOT / plot.iterations - step;
    const narrow = Math.min(share, (0.6 * (RIGHT - LEFT)) / plot.iterations / steps);
    return group.map((dot, index) => {
      const aside = index - (group.length - 1) / 2;
      return drawnDot(
        dot,
        plot,
        hasRoom ? { pixels: aside * step, percent: 0 } : { pixels: 0, percent: aside * narrow },
      );
    });
  });
}

function drawnDot(
  { id, iteration, score }: Dot,
  { scale, across, down, dot, nameOf }: Plot,
  aside: { pixels: number; percent: number },
): Html {
  const x = round(across(iteration) + aside.percent);
  const moved = aside.pixels !== 0 && html` transform="translate(${aside.pixels})"`;
  const title = html`<title>${id}: ${score} in ${nameOf(iteration)}</title>`;
  return html`<a href="#${scaffoldAnchor(id)}" tabindex="-1"><circle class="${colourClass(scale, score)}" cx="${x}%" cy="${down(score)}" r="${dot.radius}"${moved}>${title}</circle></a>\n`;
}

function scoreTable(metrics: EvolveMetrics, dots: readonly Dot[], scale: ScoreScale): Html {
  const { best_by_iteration } = metrics;
  const byIteration = groupBy(dots, ({ iteration }) => iteration);
  const beyond = [...byIteration.keys()].filter((iteration) => iteration >= best_by_iteration.length);
  const best = [
    ...best_by_iteration,
    ...beyond.map((iteration) => Math.max(...(byIteration.get(iteration) ?? []).map(({ score }) => score))),
  ];
  const rows = best.map((best, iteration) => {
    const all = [...(byIteration.get(iteration) ?? [])].sort((left, right) => right.score - left.score);
    const listed = all.map(
      ({ id, score }, index) =>
        html`${index > 0 && ', '}<a href="#${scaffoldAnchor(id)}">${id}</a>: ${scoreFigure(scale, score)}`,
    );
    return html`<tr><th scope="row">${placeText(iteration, metrics)}</th><td>${scoreFigure(scale, best)}</td><td class="wide">${all.length === 0 ? NOTHING : listed}</td></tr>\n`;
  });
  return html`<details>
<summary>The same as a table</summary>
${table({ label: 'Table of scores by iteration', heads: ['iteration', 'best', 'every validated scaffold'] }, rows)}</details>
`;
}

/** Names an iteration where there is little room: by its number, or as the closing validation. */
function placeText(iteration: number, metrics: EvolveMetrics): string {
  return iteration >= metrics.iterations && metrics.status === 'done' ? 'closing' : String(iteration);
}

const round = (value: number) => Math.round(value * 100) / 100;
