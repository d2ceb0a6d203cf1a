import type { ComponentChildren, VNode } from 'preact';
import type { ExperimentMetrics, RunStatus } from '../contracts/results.js';
import type { Fact, FactTable, LineValue } from '../facts/fact.js';
import { factsOf, type KindFacts, progressAtEnd } from '../facts/kind-facts.js';
import { capitalised, isLineFact, type LineFact, plainText, uncertaintyText } from '../facts/text.js';
import { errorLines } from '../statistics/error-lines.js';
import { Count, ExactFigures, FactList, Moment, type NamedFigure, numberOf } from './figures.js';
import { pageHtml, type Section } from './page.js';
import { NumberCell, Table } from './table.js';

/** Maximum rows that a browser can lay out; all are in `metrics.json`. */
const MAX_ROWS = 1000;

/** A change of code, with the number of units before it. */
interface Change {
  at: string;
  modules: string[];
}

/** What the page of an ended experiment says of it. Every number is from its metrics. */
export interface Report<Metrics extends ExperimentMetrics = ExperimentMetrics> {
  metrics: Metrics;
  facts: KindFacts;
  /** Name of the kind, above the title, such as `Run report`. */
  kind: string;
  changes: readonly Change[];
  /** Units that a change counts, such as `episodes`. */
  what: string;
  /** Further information, as a sentence and as named texts next to each other. */
  statement?: string;
  links?: readonly NamedFigure[];
  /** Sections after that of the figures. */
  sections: readonly Section[];
}

/** Writes `report.html`, piece by piece. The page is self-contained: it loads nothing and needs no script. */
export function reportHtml(report: Report): AsyncGenerator<string> {
  const { metrics, kind } = report;
  const { name, experiment } = metrics;
  return pageHtml(
    {
      title: `${experiment}: ${kind.toLowerCase()}`,
      top: { kind, name, experiment },
      notices: <Notices {...report} />,
    },
    reportSections(report),
  );
}

/** Returns the sections of a report, that of the figures first. */
export function reportSections(report: Report): Section[] {
  return [{ id: 'figures', title: 'Figures', content: <Figures {...report} /> }, ...report.sections];
}

function factsAtEnd(metrics: ExperimentMetrics, kind: KindFacts): Fact[] {
  return factsOf(progressAtEnd({ artifacts: '', metrics }, kind), kind);
}

function Figures({ metrics, facts, statement, links = [] }: Report): VNode {
  return (
    <>
      <FactTiles facts={factsAtEnd(metrics, facts)}>
        {[
          ['started', <Moment key="started" iso={metrics.started_at} />],
          ['ended', <Moment key="ended" iso={metrics.ended_at} />],
          ...links,
        ]}
      </FactTiles>
      {statement !== undefined && <p class="statement">{statement}</p>}
      <ExactFigures document={metrics} source="metrics.json" />
    </>
  );
}

/** Facts of a line: numbers as tiles, texts below them. @param children further named texts */
export function FactTiles({
  facts,
  children = [],
}: {
  facts: readonly Fact[];
  children?: readonly NamedFigure[];
}): VNode {
  const lines = facts.filter(isLineFact);
  const texts = lines.flatMap(({ label, value, note }): NamedFigure[] =>
    value.kind === 'text' ? [[label, note === undefined ? value.text : `${value.text}, ${note}`]] : [],
  );
  return (
    <>
      <dl class="tiles">{lines.map((fact) => tileOf(fact))}</dl>
      <FactList facts={[...texts, ...children]} />
    </>
  );
}

/** Renders a number with its note; null where the fact is none. */
function tileOf({ label, value, note }: LineFact): VNode | null {
  const shown = numberOf(value);
  if (shown == null) return null;
  const of =
    value.kind === 'count' && value.of !== undefined ? (
      <>
        of <Count value={value.of} />
      </>
    ) : null;
  const parts: ComponentChildren[] = [of, uncertaintyText(value), note].filter((part) => part);
  return (
    <div>
      <dt>{capitalised(label)}</dt>
      <dd>
        {shown}
        {parts.length > 0 && <small>{parts.map((part, index) => [index > 0 && ', ', part])}</small>}
      </dd>
    </div>
  );
}

/** Returns a section of the table with an id among an experiment's facts; the text where there is none. */
export function factSection(
  { metrics, facts }: { metrics: ExperimentMetrics; facts: KindFacts },
  id: string,
  section: Omit<Section, 'content'>,
  none?: string,
): Section[] {
  const fact = factsAtEnd(metrics, facts).find((one) => one.id === id);
  if (fact?.value.kind === 'table')
    return [{ ...section, content: <FactTableView label={fact.label} table={fact.value} /> }];
  return none === undefined ? [] : [{ ...section, content: <p>{none}</p> }];
}

/** Returns a section of the tables among facts, each below its name; none where there are none. */
export function groupsSection(facts: readonly Fact[]): Section[] {
  const tables = facts.flatMap(({ label, value }) =>
    value.kind === 'table'
      ? [
          <h3 key={label}>{capitalised(label)}</h3>,
          <FactTableView key={`t${label}`} label={label} table={value} />,
        ]
      : [],
  );
  return tables.length === 0 ? [] : [{ id: 'groups', title: 'Groups', content: <>{tables}</> }];
}

function FactTableView({ label, table }: { label: string; table: FactTable }): VNode {
  const { head, rows, notes = [] } = table;
  return (
    <>
      {rows.length > MAX_ROWS && (
        <p class="note">
          The first <Count value={MAX_ROWS} /> of <Count value={rows.length} />; all are in{' '}
          <a href="./metrics.json">metrics.json</a>.
        </p>
      )}
      <Table label={`Table: ${label}`} columns={head} isFramed={rows.length > 20}>
        {rows.slice(0, MAX_ROWS).map(([first, ...others]) => (
          <tr>
            <th scope="row">{first !== undefined && headOf(first)}</th>
            {others.map((value) => (
              <NumberCell>{cellOf(value)}</NumberCell>
            ))}
          </tr>
        ))}
      </Table>
      {notes.map((note) => (
        <p class="note">{note}</p>
      ))}
    </>
  );
}

const headOf = (value: LineValue) => numberOf(value) ?? <code>{plainText(value)}</code>;

function cellOf(value: LineValue): ComponentChildren {
  const uncertainty = uncertaintyText(value);
  return (
    <>
      {numberOf(value) ?? plainText(value)}
      {uncertainty !== null && `, ${uncertainty}`}
    </>
  );
}

/** Returns the section of each cause of errors with its first message. @param noun the counted unit, such as `sample` */
export function errorSection(
  { errors_by_type, error_causes }: Pick<ExperimentMetrics, 'errors_by_type' | 'error_causes'>,
  noun: string,
  note?: string,
): Section {
  const lines = errorLines(errors_by_type, error_causes);
  const content =
    lines.length === 0 ? (
      <p>No {noun} ended in an error.</p>
    ) : (
      <>
        <Table label="Table of errors by cause" columns={['error', `${noun}s`, 'first message']}>
          {lines.map(({ type, count, message }) => (
            <tr>
              <th scope="row">
                <code>{type}</code>
              </th>
              <NumberCell>
                <Count value={count} />
              </NumberCell>
              <td class="wide">{message}</td>
            </tr>
          ))}
        </Table>
        {note !== undefined && <p class="note">{note}</p>}
      </>
    );
  return { id: 'errors', title: 'Errors', content };
}

const ENDINGS: Record<Exclude<RunStatus, 'done'>, string> = {
  incomplete: 'Incomplete.',
  decided: 'Enough is known.',
  limit_reached: 'A limit was reached.',
  stopped: 'Stopped before its end.',
  failed: 'Failed.',
  cancelled: 'Cancelled.',
};

/** Notices where the figures need care: a simulation, an early end, changed code, requests sent or answered otherwise. */
export function Notices({ metrics, changes, what }: Pick<Report, 'metrics' | 'changes' | 'what'>): VNode {
  const { simulated, status, status_message, adaptations = {} } = metrics;
  const sentences = Object.entries(adaptations);
  return (
    <>
      {simulated && (
        <p class="notice">
          <strong>Simulated model.</strong> The replies come from a simulation that stands in for a language
          model. These are no benchmark figures.
        </p>
      )}
      {status !== 'done' && (
        <p class="notice ended">
          <strong>{ENDINGS[status]}</strong> {status_message} The figures are those of what was done until
          then.
        </p>
      )}
      {changes.length > 0 && (
        <p class="notice">
          <strong>More than one version of the code, or of a price.</strong>
          {changes.map((change) => (
            <>
              {' '}
              <code>{change.modules.join(', ')}</code> changed after{' '}
              <Count value={(change as unknown as Record<string, number>)[what] ?? 0} /> of the {what}, before{' '}
              <Moment iso={change.at} />.
            </>
          ))}{' '}
          The figures below are of all of them together.
        </p>
      )}
      {sentences.length > 0 && (
        <p class="notice">
          <strong>Sent or answered otherwise than asked for.</strong>
          {sentences.map(([sentence, calls]) => (
            <>
              {' '}
              {sentence} (calls: <Count value={calls} />
              ).
            </>
          ))}
        </p>
      )}
    </>
  );
}
