import { stripMarkdown } from './reply-text.js';

/** What encloses a text without being part of it: Markdown, quotation marks, delimiters of LaTeX. */
const PAIRS: [string, string][] = [
  ...['***', '**', '*', '___', '__', '_', '```', '``', '`', '"', "'", '$$', '$'].map(
    (mark): [string, string] => [mark, mark],
  ),
  ...['“”', '„“', '„”', '””', '‘’', '‚‘', '«»', '»«', '‹›', '「」', '『』', '《》', '＂＂'].map(
    ([open = '', close = '']): [string, string] => [open, close],
  ),
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ...['text', 'textbf', 'textit', 'mathrm', 'mathbf', 'boxed'].map((command): [string, string] => [
    `\\${command}{`,
    '}',
  ]),
];

/** So many layers are taken off. */
const MOST_LAYERS = 8;

/** A stop right after a closing mark ends the sentence around the text: `**Oslo**.`, `(B).`. */
const OUTER_STOP = /(?<=[*_`"'”“’»›」』$})\]）])\s?[.!。！।]$/;

/**
 * A text, and what is left of it when what encloses it is taken off, a layer at a time: `**"Oslo"**.`, `**"Oslo"**`,
 * `"Oslo"`, `Oslo`. A stop is taken off outside of such marks only: `Oslo.` and `"Oslo."` keep it.
 */
export function unwrapped(text: string): string[] {
  const layers = [text.trim()];
  for (let inner = layers[0] ?? ''; layers.length <= MOST_LAYERS; layers.push(inner)) {
    const next = withoutLayer(inner);
    if (next === inner || next === '') break;
    inner = next;
  }
  return layers;
}

function withoutLayer(text: string): string {
  const sentence = text.replace(OUTER_STOP, '');
  if (sentence !== text) return sentence.trim();
  const pair = PAIRS.find(([open, close]) => encloses(text, open, close));
  if (pair) return text.slice(pair[0].length, text.length - pair[1].length).trim();
  return stripMarkdown(text);
}

/** Whether the two marks stand around a text and not in it: `"a" or "b"` is no quotation. */
function encloses(text: string, open: string, close: string): boolean {
  if (text.length <= open.length + close.length || !text.startsWith(open) || !text.endsWith(close))
    return false;
  const inner = text.slice(open.length, text.length - close.length);
  return !inner.includes(open) && !inner.includes(close);
}
