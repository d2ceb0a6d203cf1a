import type { ExperimentProgress } from '../contracts/progress.js';
import type { Fact, FactTable } from '../facts/fact.js';
import { type Ended, factsOf, type KindFacts, progressAtEnd } from '../facts/kind-facts.js';
import { capitalised, factText, valueText } from '../facts/text.js';
import { headedTable, shownAddress } from './format.js';

/** Formats an experiment for people, in progress or at its end. */
export function experimentText(progress: ExperimentProgress, kind: KindFacts): string {
  return factsText(factsOf(progress, kind));
}

/** Formats the result of an experiment for people. The numbers are those of `metrics.json`. */
export function resultText(result: Ended, kind: KindFacts): string {
  return experimentText(progressAtEnd(result, kind), kind);
}

/** Formats facts as a table of names and values; below it sentences, tables, and at last addresses. */
export function factsText(facts: readonly Fact[]): string {
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
  return [headedTable([], rows), ...sentences, ...tables, ...places].join('\n');
}

/** @param maxRows number of last rows to draw; all by default */
export function tableText({ head, rows, notes = [] }: FactTable, maxRows = rows.length): string {
  const shown = rows.slice(-maxRows);
  const left = rows.length - shown.length;
  const cells = shown.map((row) => row.map(valueText));
  return [...(left === 0 ? [] : [`and ${left} before them`]), headedTable([...head], cells), ...notes].join(
    '\n',
  );
}
