import wrapAnsi from 'wrap-ansi';
import { printable } from '../contracts/printable.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import type { Fact, FactTable } from '../facts/fact.js';
import { type Ended, factsOf, type KindFacts, progressAtEnd } from '../facts/kind-facts.js';
import { capitalised, factText, valueText } from '../facts/text.js';
import { shownAddress } from '../storage/shown-address.js';
import { headedTable } from './format.js';

/** Formats an experiment for people, in progress or at its end. */
export function experimentText(progress: ExperimentProgress, kind: KindFacts): string {
  return factsText(factsOf(progress, kind));
}

/** Formats the result of an experiment for people. The numbers are those of `metrics.json`. */
export function resultText(result: Ended, kind: KindFacts): string {
  return experimentText(progressAtEnd(result, kind), kind);
}

/**
 * Formats facts as a table of names and values; below it sentences, tables, and at last addresses.
 * @param columns of the terminal, into which the table has to fit; undefined: there is none
 */
export function factsText(
  facts: readonly Fact[],
  columns: number | undefined = process.stdout.columns,
): string {
  const rows: string[][] = [];
  const sentences: string[] = [];
  const tables: string[] = [];
  const places: string[] = [];
  for (const fact of facts) {
    const { value } = fact;
    if (value.kind === 'address') places.push(`${capitalised(fact.label)}: ${shownAddress(value.address)}`);
    else if (value.kind === 'table') tables.push(`${capitalised(fact.label)}:\n${tableText(value)}`);
    else if (value.kind === 'lines')
      sentences.push([`${capitalised(fact.label)}:`, ...value.lines].join('\n  '));
    else rows.push([fact.label, factText({ ...fact, value })]);
  }
  return [factTable(rows, columns), ...sentences, ...tables, ...places].join('\n');
}

/** Maximum columns of a fact's name where the terminal is narrow, and minimum columns of its value. */
const WIDEST_NAME = 26;
const NARROWEST_VALUE = 30;

function factTable(rows: string[][], columns: number | undefined): string {
  const drawn = headedTable([], rows);
  const width = drawn.indexOf('\n');
  if (columns === undefined || width <= columns) return drawn;
  const named = rows.map(([name = '', ...values]) => [
    wrapAnsi(name, WIDEST_NAME, { hard: true }),
    ...values,
  ]);
  const longest = Math.max(...rows.map(([name = '']) => Math.min(name.length, WIDEST_NAME)));
  // Three borders, and a space on both sides of each text.
  return headedTable([], named, Math.max(NARROWEST_VALUE, columns - longest - 7));
}

/** Columns of a usual terminal. */
const TERMINAL_COLUMNS = 80;
/** Minimum columns of the names of rows. */
const NARROWEST_NAME = 16;

/** @param maxRows number of last rows to draw; all by default */
export function tableText({ head, rows, notes = [] }: FactTable, maxRows = rows.length): string {
  const shown = rows.slice(-maxRows);
  const left = rows.length - shown.length;
  const cells = shown.map((row) => row.map(valueText));
  const drawn = headedTable([...head], withNamesWrapped([...head], cells));
  return [...(left === 0 ? [] : [`and ${left} before them`]), drawn, ...notes].join('\n');
}

/** Wraps the names in the first column, so that the table fits into a terminal. */
function withNamesWrapped(head: readonly string[], rows: readonly string[][]): string[][] {
  const others = head.slice(1).map((name, column) => {
    const cells = [name, ...rows.map((row) => row[column + 1] ?? '')];
    return cells.reduce((widest, { length }) => Math.max(widest, length), 0);
  });
  // A column has a border and two spaces; the last border closes the table.
  const taken = others.reduce((sum, width) => sum + width + 3, 0) + 4;
  const room = Math.max(NARROWEST_NAME, TERMINAL_COLUMNS - taken);
  return rows.map(([name = '', ...cells]) => [wrapAnsi(printable(name), room, { hard: true }), ...cells]);
}
