import type { Usage } from '../contracts/language-model.js';
import type { CallFigures } from '../contracts/results.js';
import type { Beside, Repeats, Unkept } from '../contracts/step-cost.js';
import { estimatedText, repeatedText } from '../statistics/beside-text.js';
import { dollarsText, durationText, percentText, scoreText } from '../statistics/figure-text.js';
import { type Content, type Html, html } from './html.js';
import { alignedScore, type ScoreScale } from './score-scale.js';
import { numberCell, table } from './table.js';

/** Stands where there is nothing to say. */
export const NOTHING = '–';

/** A figure at the top of a page. */
export interface Figure {
  name: string;
  value: Content;
  note?: Content;
}

export function figureTiles(figures: readonly Figure[]): Html {
  return html`<dl class="tiles">
${figures.map(({ name, value, note }) => html`<div><dt>${name}</dt><dd>${value}${note && html`<small>${note}</small>`}</dd></div>\n`)}</dl>
`;
}

/** What every experiment costs. */
export function spendingFigures(
  metrics: Beside &
    Repeats &
    Partial<CallFigures> & {
      lm_calls: number;
      usage: Usage;
      cost_usd: number | null;
      wall_seconds: number;
    },
): Figure[] {
  const { usage, cost_usd, unkept, cut_off = 0, cut_off_reasoning_tokens: reasoning } = metrics;
  const thought = reasoning !== undefined && html`; ${count(reasoning)} of their tokens were reasoning`;
  const repeated = html`${repeatedText(metrics)}${estimatedText(metrics)}`;
  return [
    ...(cut_off === 0
      ? []
      : [
          {
            name: 'Cut-off replies',
            value: count(cut_off),
            note: html`at their token limit${thought}`,
          },
        ]),
    { name: 'LM calls', value: count(metrics.lm_calls), note: repeated },
    {
      name: 'Tokens in',
      value: count(usage.input_tokens),
      note: html`${count(usage.output_tokens)} out${usage.reasoning_tokens !== undefined && html`, ${count(usage.reasoning_tokens)} reasoning`}`,
    },
    { name: 'Cost', value: dollars(cost_usd), note: cost_usd === null && 'a model has no price' },
    ...(unkept === undefined ? [] : [unkeptFigure(unkept)]),
    { name: 'Wall time', value: duration(metrics.wall_seconds) },
  ];
}

/** What was spent beside the cost; nobody knows exactly how much. */
function unkeptFigure({ requests, usage, cost_usd }: Unkept): Figure {
  const tokens = html`${count(usage.input_tokens)} tokens in, ${count(usage.output_tokens)} out`;
  return {
    name: 'Replies not kept',
    value: count(requests),
    note: html`at most ${dollars(cost_usd)}, ${tokens}`,
  };
}

/** Names with what they stand for, side by side. */
export function factList(facts: readonly (readonly [string, Content])[]): Html {
  return html`<dl class="facts">
${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
`;
}

/** A score as all are written; the exact one is beside it for whoever points at it. */
export function scoreFigure(scale: ScoreScale, score: number | null | undefined): Content {
  if (score === null || score === undefined) return NOTHING;
  return html`<data value="${score}" title="${score}">${alignedScore(scale, score)}</data>`;
}

/** A figure of its own, with four digits behind the point at most. */
export function shortFigure(value: number | null | undefined): Content {
  if (value === null || value === undefined) return NOTHING;
  return html`<data value="${value}" title="${value}">${scoreText(value)}</data>`;
}

/** A share as a percentage. */
export function percentage(share: number | null): Content {
  if (share === null) return NOTHING;
  return html`<data value="${share}" title="${share}">${percentText(share)}</data>`;
}

/** A count with its thousands set apart by a narrow space. */
export function count(value: number): Content {
  const grouped = value.toLocaleString('en-US').replaceAll(',', '\u202f');
  return html`<data value="${value}">${grouped}</data>`;
}

export function dollars(cost: number | null): Content {
  if (cost === null) return html`unknown`;
  return html`<data value="${cost}" title="${cost}">${dollarsText(cost)}</data>`;
}

export function duration(seconds: number): Content {
  // No line ends between a number and its unit.
  const shown = durationText(seconds).replaceAll(/(?<=\d) /g, '\u00a0');
  return html`<time datetime="PT${seconds}S" title="${seconds} s">${shown}</time>`;
}

/** `2026-01-31T23:59:59.123Z` as people read it. */
export function moment(iso: string): Content {
  const shown = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso;
  return html`<time datetime="${iso}">${shown}</time>`;
}

/** A row of a table that says how often something came up. */
export function countRow(name: string, number: number): Html {
  return html`<tr><th scope="row"><code>${name}</code></th>${numberCell(count(number))}</tr>\n`;
}

/** Every value of a JSON document, as it is there, by its place. */
export function exactFigures(document: object, source: string): Html {
  const rows = [...leaves(document, '')].map(
    ([place, value]) =>
      html`<tr><th scope="row"><code>${place}</code></th><td><code>${value}</code></td></tr>\n`,
  );
  return html`<details class="exact">
<summary><h3>Every figure, as in ${source}</h3></summary>
${table({ label: 'Table of every figure', heads: ['field', 'value'] }, rows)}</details>
`;
}

function* leaves(value: unknown, place: string): Generator<[string, string]> {
  if (typeof value !== 'object' || value === null) {
    yield [place, typeof value === 'string' ? value : String(value)];
    return;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) yield [place, Array.isArray(value) ? '[]' : '{}'];
  for (const [key, inner] of entries) {
    if (inner === undefined) continue;
    const step = Array.isArray(value) ? `[${key}]` : place === '' ? key : `.${key}`;
    yield* leaves(inner, `${place}${step}`);
  }
}
