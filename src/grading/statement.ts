import { stripMarkdown } from './reply-text.js';

/** What opens a block that a line break does not end, and what ends it. */
const BLOCKS: [RegExp, string][] = [
  [/\\\[/, '\\]'],
  [/\$\$/, '$$'],
  [/\\begin\{/, '\\end{'],
  [/^```/, '```'],
];

/**
 * The statement right after an answer marker: the first line with text, or the whole block that begins there.
 * Markdown around it is taken off.
 */
export function firstStatement(content: string): string {
  const text = content.replace(/^[\s:：]+/, '');
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const statement = stripMarkdown(withBlock(lines, index, line));
    if (/[^\s*_`:$]/.test(statement)) return statement;
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

/** The first sentence of a statement; a full stop inside a number or in mathematics ends nothing. */
export function firstSentence(numbered: string): string {
  // The label of a list item is no sentence.
  const statement = numbered.replace(/^\d{1,2}[.)]\s+(?=\S)/, '');
  let inMathematics = false;
  for (let index = 0; index < statement.length; index++) {
    const character = statement[index] ?? '';
    if (character === '\\') index += 1;
    else if (character === '$') inMathematics = !inMathematics;
    else if (
      !inMathematics &&
      /[.!?。]/.test(character) &&
      /^(?:\s|$|[*"')\]])/.test(statement.slice(index + 1, index + 2))
    ) {
      // A factorial is no exclamation: `5! ways`, and nor is an ellipsis the end.
      if (
        character === '!' &&
        /[\w)}]/.test(statement[index - 1] ?? '') &&
        !/^\s*$/.test(statement.slice(index + 1))
      )
        continue;
      if (character === '!' && /\d/.test(statement[index - 1] ?? '')) return statement.slice(0, index + 1);
      return statement.slice(0, character === '?' ? index + 1 : index);
    }
  }
  return statement;
}
