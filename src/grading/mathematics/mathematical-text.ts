import { withoutTrailing } from '../../contracts/trailing.js';
import { braceArguments } from './latex-arguments.js';
import { FUNCTIONS, oneSpelling, SYMBOL_WORDS } from './latex-commands.js';
import { latexCharacters } from './mathematical-characters.js';

/**
 * Converts an answer in LaTeX, plain text or Unicode to one LaTeX spelling, so that `√2`, `sqrt(2)`, `\sqrt2` and
 * `$\sqrt{2}$` become the same text. Nothing is evaluated. Words are not changed.
 */
export function normalizeMathematics(answer: string): string {
  let text = dollars(rows(latexCharacters(answer).replace(/\s+/g, ' ')));
  text = text.replace(/\\[()[\]]/g, ' ').replace(/~/g, ' ');
  text = oneSpelling(joinThousands(text));
  text = text.replace(/\\[,;:! ]/g, (space) => (space === '\\!' ? '' : ' '));
  text = braceArguments(text);
  text = braceArguments(operators(words(text)));
  text = text.replace(/(?<![\d.])\.(?=\d)/g, '0.').replace(/(\d)\.(?![\d\\])/g, '$1');
  return tidy(text);
}

/** Keeps spaces only where they separate words or numbers, and removes punctuation at the end. */
function tidy(text: string): string {
  const spaced = text
    .replace(/\s+/g, ' ')
    .replace(/ ?([=<>+\-*/^_{}()[\]|]) ?/g, '$1')
    .replace(/(\\[a-zA-Z]+) (?![a-zA-Z])/g, '$1');
  return withoutTrailing(spaced, /[.,;:]/).trim();
}

/** Separator of the rows of a matrix. */
export const ROW = '¶';

/** Replaces `\\`: in an environment it ends a row; elsewhere it is a backslash that was escaped twice. */
function rows(text: string): string {
  if (!text.includes('\\begin')) return text.replace(/\\\\(?=[a-zA-Z{}%$!,;])/g, '\\');
  return text.replace(/\\\\(?: ?\[[\d.]+[a-z]{2}\])?/g, ROW);
}

/** Removes `$` around mathematics, and marks `$` that is a currency. */
function dollars(text: string): string {
  const marked = text.replace(/\\\$|US\$/g, '\\currency{usd}');
  const count = marked.split('$').length - 1;
  // An odd dollar is a currency: `$15,000`, `1,000.99$`.
  if (count % 2 === 0) return marked.replace(/\$+/g, ' ');
  return marked.replace(/\$(?=\s?[\d.])/, '\\currency{usd}').replace(/\$+/g, ' ');
}

/** Joins `15,\!000`, `1{,}000`, `1{,}00{,}000`, `1\,000` and `1 000`. A bare comma stays: it may separate a list. */
function joinThousands(text: string): string {
  return text
    .replace(/(\d)(?:,\\!\s?|\{,\}|\\,|\\;|\\ |\\!)(?=\d{3}(?!\d))/g, '$1')
    .replace(/(?<!\d)(\d{1,2}(?:\{,\}\d{2}){1,8})(?=\d{3}(?!\d))/g, (digits) => digits.replace(/\{,\}/g, ''))
    .replace(
      /(?<![\d.,])(\d{1,3})((?: \d{3})+)(?![\d.]?\d)/g,
      (_, head: string, rest: string) => head + rest.replace(/ /g, ''),
    )
    .replace(/(\d)\{,\}(?=\d)/g, '$1.');
}

/** Adds a backslash to function and symbol names without one. */
function words(text: string): string {
  return text.replace(/(?<![\\a-zA-Z])[a-zA-Z]{2,}/g, (word) => {
    const lower = word.toLowerCase();
    if (FUNCTIONS.has(word)) return `\\${word} `;
    if (Object.hasOwn(SYMBOL_WORDS, lower)) return SYMBOL_WORDS[lower] ?? word;
    return word;
  });
}

/** Converts operators of programming languages, and fractions of two numbers, to LaTeX. */
function operators(text: string): string {
  return (
    text
      .replace(/\*\*/g, '^')
      .replace(/(?<![a-zA-Z\d.\\])(\d+(?:\.\d+)?)[eE]\+?(-?\d{1,4})(?![\d.a-zA-Z])/g, '$1\\times 10^{$2}')
      .replace(/(\d)(?: [xX] |[xX](?=10\^))(?=\d)/g, '$1\\times ')
      .replace(/\*/g, '\\cdot ')
      .replace(/<=|=</g, '\\leq ')
      .replace(/>=|=>/g, '\\geq ')
      .replace(/!=|<>/g, '\\neq ')
      .replace(/==/g, '=')
      .replace(/:=/g, '=')
      .replace(/(?<![.\d])%/g, '%')
      .replace(/\\?%/g, '\\%')
      // `2 1/2` is a mixed number; in `1/2 x` and `1/2\pi` the fraction is a factor.
      .replace(/(?<!\d)(\d+) (\d+) ?\/ ?(\d+)(?![\d.])/g, '$1\\frac{$2}{$3}')
      .replace(
        /(?<![\d.^/}!)a-zA-Z])(\d+) ?\/ ?(\d+)(?= ?(?:[a-zA-Z(]|\\(?:pi|sqrt|theta|ln|log|sin|cos|tan)))/g,
        '\\frac{$1}{$2}',
      )
  );
}
