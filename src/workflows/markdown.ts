import { printableLine } from '../contracts/printable.js';
import type { Fact, FactTable } from '../facts/fact.js';
import { factText, isLineFact, type LineFact, valueText } from '../facts/text.js';

/** Maximum rows of a table, which people read in a browser. */
const MAX_ROWS = 100;

/**
 * Escapes others' text for Markdown in one line, so that it makes no image, link, heading or second cell. A backslash
 * removes the meaning of any ASCII punctuation.
 * https://spec.commonmark.org/0.31.2/#backslash-escapes, https://github.github.com/gfm/#autolinks-extension-
 */
function escapedText(text: string): string {
  return printableLine(text)
    .replace(/[\\`*_[\]<>|~&]/g, '\\$&')
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/\bwww(?=\.)/gi, '$&\\');
}

function cellOf({ value, note }: LineFact): string {
  if (value.kind !== 'address') return escapedText(factText({ id: '', label: '', value, note }));
  // Backslashes have no meaning between backticks, where a bar would still end the cell.
  return `\`${printableLine(value.address).replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const rule = (columns: number) => `|${' --- |'.repeat(columns)}`;

/** Formats one-line facts as a table of names and values, and multi-line facts as rows below their name. */
function factLines(facts: readonly Fact[]): string[] {
  const rows = facts.flatMap((fact) => {
    if (isLineFact(fact)) return [row([escapedText(fact.label), cellOf(fact)])];
    if (fact.value.kind !== 'lines') return [];
    return fact.value.lines.map((line, index) =>
      row([index === 0 ? escapedText(fact.label) : '', escapedText(line)]),
    );
  });
  return ['| | |', rule(2), ...rows];
}

function tableLines(label: string, { head, rows, live, notes = [] }: FactTable): string[] {
  const shown = live === true ? rows.slice(-MAX_ROWS) : rows.slice(0, MAX_ROWS);
  const left = rows.length - shown.length;
  return [
    '',
    `**${escapedText(label)}**`,
    '',
    row(head.map(escapedText)),
    rule(head.length),
    ...shown.map((cells) => row(cells.map((cell) => escapedText(valueText(cell))))),
    ...[...(left === 0 ? [] : [`and ${left} ${live === true ? 'before them' : 'more'}`]), ...notes].flatMap(
      (note) => ['', escapedText(note)],
    ),
  ];
}

/** Formats facts for the Temporal UI: one-line facts below a heading, then the tables. */
export function markdown(title: string, facts: readonly Fact[]): string {
  const tables = facts.flatMap(({ label, value }) =>
    value.kind === 'table' ? tableLines(label, value) : [],
  );
  return [`### ${escapedText(title)}`, '', ...factLines(facts), ...tables].join('\n');
}
