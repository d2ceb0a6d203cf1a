import { scanPython } from './python-source.js';

/** Fenced code block of a Markdown text. */
export interface FencedBlock {
  /** The first word of the info string, in lower case; empty where there is none. */
  language: string;
  /** The rest of the info string. */
  attributes: string;
  /** Index of the line of the opening fence, and the fence. */
  line: number;
  fence: string;
  /** The nearest non-blank line above the fence, with at most one blank line between. */
  lineBefore: string;
  content: string;
  /** False where the text ends inside the block. */
  closed: boolean;
}

const OPENING = /^([ \t]*)(`{3,}|~{3,})([^\n]*)/;

/**
 * Maximum blocks of a text whose strings are scanned beyond the first fence that could close the block, each time to
 * the end of the text. Blocks after them end at their first fence, so that reading takes linear time.
 */
const MAX_FOLLOWED = 20;

export const isPythonBlock = ({ language }: FencedBlock): boolean =>
  /^(?:python[23]?|py[23]?)$/.test(language);

/**
 * Returns the fenced blocks of a text, in order, by the rules of CommonMark with two exceptions for what models write:
 * a fence may be indented (as in a list), and a fence inside a triple-quoted string does not close a Python block.
 */
export function fencedBlocks(text: string): FencedBlock[] {
  const lines = text.replaceAll(/\r\n?/g, '\n').split('\n');
  const blocks: FencedBlock[] = [];
  let followed = 0;
  for (let index = 0; index < lines.length; index += 1) {
    const opening = OPENING.exec(lines[index] as string);
    const [, indentation = '', fence = '', info = ''] = opening ?? [];
    // A backtick in the info string makes it inline code, as in ```x```.
    if (opening === null || (fence.startsWith('`') && info.includes('`'))) continue;
    const [language = '', attributes = ''] = splitInfo(info);
    const above = lineBefore(lines, index);
    const shell = { language, attributes, line: index, fence, lineBefore: above, content: '', closed: true };
    const isCode = isPythonBlock(shell) || language === '';
    let end = closingFence(lines, index, fence);
    if (isCode && end < lines.length && followed < MAX_FOLLOWED && endsInString(lines, index, end)) {
      followed += 1;
      end = fenceOutsideStrings(lines, index, fence) ?? end;
    }
    const inside = lines.slice(index + 1, end);
    // The first line of a program has none of its own, also where the fence alone is indented; a comment may have any.
    const first = /^[ \t]*(?=[^\s#])/m.exec(inside.join('\n'))?.[0] ?? '';
    const most = Math.min(indentation.length, first.length);
    const content = inside.map((line) => withoutIndentation(line, most)).join('\n');
    blocks.push({ ...shell, content, closed: end < lines.length });
    index = end;
  }
  return blocks;
}

/** Splits an info string such as `python file=a.py` or `python:a.py` into the language and the rest. */
function splitInfo(info: string): [string, string] {
  const text = info.trim();
  const [head, word = ''] = /^\{?\.?([^\s:{}]*):?/.exec(text) as RegExpExecArray;
  const rest = text.slice(head.length).replace(/\}$/, '');
  // The info string is a file's name alone.
  if (/\.\w+$/.test(word)) return ['', info.trim()];
  return [word.toLowerCase(), rest.trim().replace(/^\{/, '')];
}

function lineBefore(lines: readonly string[], opening: number): string {
  const [above = '', twoAbove = ''] = [lines[opening - 1], lines[opening - 2]];
  return (above.trim() === '' ? twoAbove : above).trim();
}

/** Returns the index of the first line after `from` that can close a block; the number of lines where there is none. */
function closingFence(lines: readonly string[], from: number, fence: string): number {
  const closing = new RegExp(`^[ \\t]*${fence[0]}{${fence.length},}[ \\t]*$`);
  let index = from + 1;
  while (index < lines.length && !closing.test(lines[index] as string)) index += 1;
  return index;
}

function endsInString(lines: readonly string[], opening: number, end: number): boolean {
  return scanPython(lines.slice(opening + 1, end).join('\n')).endsInString;
}

/**
 * Returns the first line that can close a block and is not in a triple-quoted string; undefined where there is none:
 * then the program is broken, and the rest of the text is not part of it.
 */
function fenceOutsideStrings(lines: readonly string[], opening: number, fence: string): number | undefined {
  const { segments } = scanPython(lines.slice(opening + 1).join('\n'));
  // Offsets in the text after the opening: the start of a line's content, and the end of a segment.
  let line = opening + 1;
  let lineStart = 0;
  let segmentEnd = 0;
  let segment = -1;
  for (let end = closingFence(lines, opening, fence); end < lines.length; ) {
    for (; line < end; line += 1) lineStart += (lines[line] as string).length + 1;
    // The block's content ends before the line break that precedes the fence.
    while (segmentEnd < lineStart - 1) {
      segment += 1;
      segmentEnd += segments[segment]?.text.length as number;
    }
    const { kind, text } = segments[segment] ?? { kind: 'code', text: '' };
    const isInside = segmentEnd > lineStart - 1 && kind === 'string' && /^(?:"""|''')/.test(text);
    if (!isInside) return end;
    end = closingFence(lines, end, fence);
  }
  return undefined;
}

function withoutIndentation(line: string, most: number): string {
  let taken = 0;
  while (taken < most && (line[taken] === ' ' || line[taken] === '\t')) taken += 1;
  return line.slice(taken);
}
