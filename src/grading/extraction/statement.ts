import { stripMarkdown } from './reply-text.js';

/** Patterns that open a block of several lines, and the text that ends it. */
const BLOCKS: [RegExp, string][] = [
  [/\\\[/, '\\]'],
  [/\$\$/, '$$'],
  [/\\begin\{/, '\\end{'],
  [/^```/, '```'],
];

/**
 * Returns the statement directly after an answer marker, without Markdown: the first line with text, or the whole block
 * that begins there.
 */
export function firstStatement(content: string): string {
  return stripMarkdown(writtenStatement(content));
}

/** Returns the statement directly after an answer marker as it is written, with its Markdown. */
export function writtenStatement(content: string): string {
  // Characters that close the marker are not a part of the answer: `**Answer:** 42`, `\text{Answer: } 42`. In
  // `Answer: } )` the brackets are all of it.
  const isBrackets = /^[)\]}>]+$/.test(content.replace(/[\s:：*_`.]/g, ''));
  const text = content.replace(
    isBrackets ? /^(?:[\s:：]+|[*_`]+(?=[\s:：]))+/ : /^(?:[\s:：}]+|[*_`]+(?=[\s:：]))+/,
    '',
  );
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const statement = withBlock(lines, index, line);
    if (/[^\s*_`:$]/.test(stripMarkdown(statement))) return statement;
  }
  return '';
}

function withBlock(lines: string[], index: number, line: string): string {
  for (const [open, close] of BLOCKS) {
    const start = line.search(open);
    if (start < 0 || line.indexOf(close, start + 2) >= 0) continue;
    const rest = lines.slice(index).join('\n');
    const end = rest.indexOf(close, start + 2);
    const stop = end < 0 ? rest.length : rest.indexOf('\n', end);
    return rest.slice(0, stop < 0 ? rest.length : stop);
  }
  return line;
}

/**
 * Returns the first sentence of a statement. A full stop inside a number or in mathematics does not end it, and `5!` is
 * a factorial.
 * @param beginsLine whether `1. ` may be the label of a list item, which is not a sentence
 */
export function firstSentence(statement: string, beginsLine = true): string {
  const text = statement.replace(beginsLine ? /^\d{1,2}[.)]\s+(?=\S)/ : /^\d{1,2}\)\s+(?=\S)/, '');
  for (const { 0: piece, index } of text.matchAll(/\\[\s\S]|\$[^$]*\$|[.!?。](?=[\s*"')\]]|$)/g)) {
    const before = text.slice(0, index);
    if (piece === '?') return `${before}?`;
    const isFactorial = piece === '!' && /[\w)}]$/.test(before) && !/^\s+[A-Z]/.test(text.slice(index + 1));
    if (/^[.。!]$/.test(piece) && !isFactorial) return before;
  }
  return text;
}
