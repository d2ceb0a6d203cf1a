import { printableLine } from '../contracts/printable.js';
import type { ErrorCause } from '../contracts/results.js';
import { errorLines, errorText } from '../statistics/error-lines.js';

/** Something shown as it is written, in type of one width. */
export interface Code {
  code: string;
}

export type Fact = readonly [name: string, value: string | Code];

/**
 * Text of others as Markdown shows it in one line, and makes nothing of it: no picture that is loaded from somewhere, no
 * link, no heading, no second cell. A backslash takes its meaning from any ASCII punctuation.
 * https://spec.commonmark.org/0.31.2/#backslash-escapes, https://github.github.com/gfm/#autolinks-extension-
 */
export function plainText(text: string): string {
  return printableLine(text)
    .replace(/[\\`*_[\]<>|~&]/g, '\\$&')
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/\bwww(?=\.)/gi, '$&\\');
}

function cellOf(value: string | Code): string {
  if (typeof value === 'string') return plainText(value);
  // Backslashes have no meaning between backticks, where a bar would still end the cell.
  return `\`${printableLine(value.code).replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

/** A table of names and values: the lines of its Markdown. */
export function factLines(facts: readonly Fact[], head = '| | |'): string[] {
  return [
    head,
    '| --- | --- |',
    ...facts.map(([name, value]) => `| ${plainText(name)} | ${cellOf(value)} |`),
  ];
}

/** The same below a heading, as the Temporal UI shows it. */
export function factTable(title: string, facts: readonly Fact[]): string[] {
  return [`### ${plainText(title)}`, '', ...factLines(facts)];
}

/** Where an experiment writes, and why it does not go on, as far as either is known. */
export function closingFacts({ artifacts, message }: { artifacts: string; message: string | null }): Fact[] {
  const where: Fact[] = artifacts === '' ? [] : [['artifacts', { code: artifacts }]];
  return message === null ? where : [...where, ['note', message]];
}

/** What was wrong with what could not be judged, a fact for each cause; none until the metrics are there. */
export function errorFacts(
  counts: Readonly<Record<string, number>> | undefined,
  causes: readonly ErrorCause[] | undefined,
): Fact[] {
  return errorLines(counts ?? {}, causes).map((line): Fact => ['', errorText(line)]);
}
