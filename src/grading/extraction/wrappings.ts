import { stripMarkdown } from './reply-text.js';

/** Pairs of marks that enclose a text without being part of it: Markdown, quotation marks, LaTeX delimiters. */
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

/** A code fence with its language: ````sql`. */
const FENCED = /^```[\w+#-]{1,20}[ \t]*\n([^`]*)```$/;

/** A tag around the whole text: `<solution>Oslo</solution>`. */
const TAGGED = /^<(?:final_answer|final|answer|solution|result|output|response)>([^<>]*)<\/[a-z_]{1,20}>$/i;

/** Maximum number of removed layers. */
const MAX_LAYERS = 8;

/** A full stop directly after a closing mark ends the sentence around the text: `**Oslo**.`, `(B).`. */
const OUTER_STOP = /(?<=[*_`"'”“’»›」』$})\]）])\s?[.!。！।]$/;

/**
 * Returns a text, and what remains after each enclosing layer is removed: `**"Oslo"**.`, `**"Oslo"**`, `"Oslo"`,
 * `Oslo`. Only a full stop outside of such marks is removed: `Oslo.` and `"Oslo."` keep it.
 */
export function unwrapped(text: string): string[] {
  const layers = [text.trim()];
  for (let inner = layers[0] ?? ''; layers.length <= MAX_LAYERS; layers.push(inner)) {
    const next = withoutLayer(inner);
    if (next === inner || next === '') break;
    inner = next;
  }
  return layers;
}

function withoutLayer(text: string): string {
  const sentence = text.replace(OUTER_STOP, '');
  if (sentence !== text) return sentence.trim();
  const [, inner = ''] = FENCED.exec(text) ?? TAGGED.exec(text) ?? [];
  if (inner !== '') return inner.trim();
  const pair = PAIRS.find(([open, close]) => encloses(text, open, close));
  if (pair) return text.slice(pair[0].length, text.length - pair[1].length).trim();
  return stripMarkdown(text);
}

/** Reports whether the two marks enclose a text and are not in it: `"a" or "b"` is not a quotation. */
function encloses(text: string, open: string, close: string): boolean {
  if (text.length <= open.length + close.length || !text.startsWith(open) || !text.endsWith(close))
    return false;
  const inner = text.slice(open.length, text.length - close.length);
  return !inner.includes(open) && !inner.includes(close);
}
