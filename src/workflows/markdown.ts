import { printableLine } from '../contracts/printable.js';
import type { Fact, FactTable } from '../facts/fact.js';
import { factText, isLineFact, type LineFact, valueText } from '../facts/text.js';

/** Rows of a table that people read in a browser. */
const MOST_ROWS = 100;

/**
 * Text of others as Markdown shows it in one line, and makes nothing of it: no picture that is loaded from somewhere, no
 * link, no heading, no second cell. A backslash takes its meaning from any ASCII punctuation.
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

/** Facts of one line, in a table of names and values; sentences below the name that they belong to. */
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
  const shown = live === true ? rows.slice(-MOST_ROWS) : rows.slice(0, MOST_ROWS);
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

/** What the Temporal UI shows: facts below a heading, then their tables. */
export function markdown(title: string, facts: readonly Fact[]): string {
  const tables = facts.flatMap(({ label, value }) =>
    value.kind === 'table' ? tableLines(label, value) : [],
  );
  return [`### ${escapedText(title)}`, '', ...factLines(facts), ...tables].join('\n');
}
