import type { ExperimentMetrics, RunStatus } from '../contracts/results.js';
import type { Fact, FactTable, LineValue } from '../facts/fact.js';
import { factsOf, type KindFacts, progressAtEnd } from '../facts/kind-facts.js';
import { capitalised, isLineFact, type LineFact, plainText, uncertaintyText } from '../facts/text.js';
import { count, exactFigures, type Figure, factList, figureTiles, moment, numberOf } from './figures.js';
import { type Content, type Html, html } from './html.js';
import { pageHeader, section } from './page.js';
import { numberCell, table } from './table.js';

/** Maximum rows that a browser can lay out; all are in `metrics.json`. */
const MAX_ROWS = 1000;

interface Head<What extends string> {
  facts: KindFacts;
  /** Name of the kind, above the title. */
  kind: string;
  /** Titles by anchor. */
  sections: Record<string, string>;
  /** Changes of code, with the number of `what` before them. */
  changes: readonly (Record<What, number> & { at: string; modules: string[] })[];
  what: What;
  /** Further information, as a sentence and as named texts next to each other. */
  statement?: string;
  links?: [string, Content][];
}

/** Renders the head of a report: title, notices and figures. Every number is from the metrics. */
export function reportHead<What extends string>(
  metrics: ExperimentMetrics,
  { facts: kindFacts, kind, sections, changes, what, statement, links = [] }: Head<What>,
): Html {
  const { name, experiment } = metrics;
  const facts = factsAtEnd(metrics, kindFacts).filter(isLineFact);
  const texts = facts.flatMap(({ label, value, note }): [string, Content][] =>
    value.kind === 'text' ? [[label, html`${value.text}${note !== undefined && html`, ${note}`}`]] : [],
  );
  const list = factList([
    ...texts,
    ['started', moment(metrics.started_at)],
    ['ended', moment(metrics.ended_at)],
    ...links,
  ]);
  const said = statement !== undefined && html`<p class="statement">${statement}</p>\n`;
  const figures = html`${figureTiles(facts.flatMap(figureOf))}
${list}${said}${exactFigures(metrics, 'metrics.json')}`;
  const notices = html`${simulationNotice(metrics)}${endNotice(metrics)}${changeNotice(changes, what)}${adaptationNotice(metrics)}`;
  return html`${pageHeader({ kind, name, experiment, sections })}${notices}${section('figures', 'Figures', figures)}`;
}

function factsAtEnd(metrics: ExperimentMetrics, kind: KindFacts): Fact[] {
  return factsOf(progressAtEnd({ artifacts: '', metrics }, kind), kind);
}

/** Renders the table with an id among an experiment's facts; null where there is none. */
export function factTable(metrics: ExperimentMetrics, kind: KindFacts, id: string): Html | null {
  const fact = factsAtEnd(metrics, kind).find((one) => one.id === id);
  return fact?.value.kind === 'table' ? tableOf(fact.label, fact.value) : null;
}

/** Renders the tables among facts, each below its name; null if there are none. */
export function tablesOf(facts: readonly Fact[]): Html | null {
  const tables = facts.flatMap(({ label, value }) =>
    value.kind === 'table' ? [html`<h3>${capitalised(label)}</h3>\n${tableOf(label, value)}`] : [],
  );
  return tables.length === 0 ? null : html`${tables}`;
}

function tableOf(label: string, { head, rows, notes = [] }: FactTable): Html {
  const shown = rows.slice(0, MAX_ROWS).map(([first, ...others]) => {
    const name = first === undefined ? '' : headOf(first);
    return html`<tr><th scope="row">${name}</th>${others.map((value) => numberCell(cellOf(value)))}</tr>\n`;
  });
  const cut =
    rows.length > MAX_ROWS &&
    html`<p class="note">The first ${count(MAX_ROWS)} of ${count(rows.length)}; all are in <a href="./metrics.json">metrics.json</a>.</p>\n`;
  const said = notes.map((note) => html`<p class="note">${note}</p>\n`);
  return html`${cut}${table({ label: `Table: ${label}`, heads: head, isFramed: true }, shown)}${said}`;
}

const headOf = (value: LineValue) => numberOf(value) ?? html`<code>${plainText(value)}</code>`;

function cellOf(value: LineValue): Content {
  const uncertainty = uncertaintyText(value);
  return html`${numberOf(value) ?? plainText(value)}${uncertainty !== null && html`, ${uncertainty}`}`;
}

/** Converts a number to a tile, with its note. */
function figureOf({ label, value, note }: LineFact): Figure[] {
  const shown = numberOf(value);
  if (shown === null) return [];
  const of = value.kind === 'count' && value.of !== undefined && html`of ${count(value.of)}`;
  const parts = [of, uncertaintyText(value), note].filter((part) => part);
  const said = parts.map((part, index) => html`${index > 0 && ', '}${part}`);
  return [{ name: capitalised(label), value: shown, ...(said.length === 0 ? {} : { note: html`${said}` }) }];
}

/** Renders a notice where the figures are not those of a model. */
function simulationNotice({ simulated }: ExperimentMetrics): Html {
  if (!simulated) return html``;
  return html`<p class="notice"><strong>Simulated model.</strong> The replies come from a simulation that stands in for a
language model. These are no benchmark figures.</p>
`;
}

const ENDINGS: Record<Exclude<RunStatus, 'done'>, string> = {
  incomplete: 'Incomplete.',
  limit_reached: 'A limit was reached.',
  stopped: 'Stopped before its end.',
  failed: 'Failed.',
  cancelled: 'Cancelled.',
};

/** Renders a notice where the experiment was not completed. */
function endNotice({ status, status_message }: ExperimentMetrics): Html {
  if (status === 'done') return html``;
  return html`<p class="notice ended"><strong>${ENDINGS[status]}</strong> ${status_message} The figures are those of what was
done until then.</p>
`;
}

/** Renders a notice where not all results had the same code. @param what `rollouts`, `episodes` or `iterations` */
function changeNotice<What extends string>(
  changes: readonly (Record<What, number> & { at: string; modules: string[] })[],
  what: What,
): Html {
  if (changes.length === 0) return html``;
  const noted = changes.map(
    (change) =>
      html` <code>${change.modules.join(', ')}</code> changed after ${count(change[what])} of the ${what}, before ${moment(change.at)}.`,
  );
  return html`<p class="notice"><strong>More than one version of the code, or of a price.</strong>${noted} The figures below are of all of them
together.</p>
`;
}

/** Renders a notice about requests that were not sent as configured. */
function adaptationNotice({ adaptations = {} }: ExperimentMetrics): Html {
  const sentences = Object.entries(adaptations);
  if (sentences.length === 0) return html``;
  const said = sentences.map(([sentence, calls]) => html` ${sentence} (calls: ${count(calls)}).`);
  return html`<p class="notice"><strong>Sent otherwise than asked for.</strong>${said}</p>
`;
}
