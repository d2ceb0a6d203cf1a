import { type LineFact, plainText } from '../facts/text.js';
import { durationText, percentText, scoreText } from '../statistics/figure-text.js';
import { type Content, type Html, html } from './html.js';
import { table } from './table.js';

/** Text for a missing value. */
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

/** Formats a value for a tile or a cell; null where it is not a number. */
export function numberOf(value: LineFact['value']): Content | null {
  switch (value.kind) {
    case 'count':
      return count(value.count);
    case 'money':
      return value.dollars === null ? plainText(value) : figure(value.dollars, plainText(value));
    case 'rate':
      return percentage(value.rate);
    case 'score':
      return shortFigure(value.score);
    case 'duration':
      return duration(value.seconds);
    default:
      return null;
  }
}

/** Renders names with their values, next to each other. */
export function factList(facts: readonly (readonly [string, Content])[]): Html {
  return html`<dl class="facts">
${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
`;
}

/** Renders a number in a readable form; its tooltip shows the exact one. */
export function figure(value: number, shown: string): Html {
  return html`<data value="${value}" title="${value}">${shown}</data>`;
}

/** Renders a figure with at most four decimals. */
function shortFigure(value: number | null | undefined): Content {
  return value == null ? NOTHING : figure(value, scoreText(value));
}

export function percentage(share: number | null): Content {
  return share === null ? NOTHING : figure(share, percentText(share));
}

/** Renders a count with a narrow space between groups of three digits. */
export function count(value: number): Content {
  const grouped = value.toLocaleString('en-US').replaceAll(',', '\u202f');
  return html`<data value="${value}">${grouped}</data>`;
}

function duration(seconds: number): Content {
  // Numbers and units stay in one line.
  const shown = durationText(seconds).replaceAll(/(?<=\d) /g, '\u00a0');
  return html`<time datetime="PT${seconds}S" title="${seconds} s">${shown}</time>`;
}

/** Renders `2026-01-31T23:59:59.123Z` in a readable form. */
export function moment(iso: string): Content {
  const shown = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso;
  return html`<time datetime="${iso}">${shown}</time>`;
}

/** Renders every value of a JSON document, unchanged, with its path. */
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
