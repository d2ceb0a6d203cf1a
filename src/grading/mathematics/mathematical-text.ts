import { withoutTrailing } from '../../contracts/trailing.js';
import { DEEPEST_NESTING } from '../bounds.js';
import { FUNCTIONS, oneSpelling, SYMBOL_WORDS, TYPEFACES } from './latex-commands.js';
import { latexCharacters } from './mathematical-characters.js';

/** Number of arguments of each command; `\sqrt[3]{x}` has an optional one before them. */
const ARGUMENTS: Record<string, number> = {
  '\\frac': 2,
  '\\binom': 2,
  '\\sqrt': 1,
  '\\pmod': 1,
  '\\abs': 1,
  '\\floor': 1,
  '\\ceil': 1,
  '\\exp': 0,
};

/** LaTeX delimiters of pseudo-commands for plain text (`abs(x)`). */
const WRAPPED: Record<string, [string, string]> = {
  '\\abs': ['|', '|'],
  '\\floor': ['\\lfloor ', '\\rfloor '],
  '\\ceil': ['\\lceil ', '\\rceil '],
};

/**
 * Puts braces around the arguments of `\frac`, `\binom`, `\sqrt`, `^` and `_` (`\frac12`, `\sqrt2`, `x^10`, `sqrt(2)`)
 * and removes commands that only change the typeface. Text that is nested too deeply is returned unchanged.
 */
function braceArguments(text: string): string {
  const rewriter = new Rewriter(text);
  const result = rewriter.until('', 0);
  return rewriter.tooDeep ? text : result;
}

/** Rewriter that reads the text once; every piece is rewritten by exactly one call. */
class Rewriter {
  tooDeep = false;
  private position = 0;

  constructor(private readonly text: string) {}

  /** Rewrites up to the closing character, which is consumed, or to the end. */
  until(close: string, depth: number): string {
    if (depth > DEEPEST_NESTING) this.tooDeep = true;
    let result = '';
    let inner = 0;
    while (!this.tooDeep && this.position < this.text.length) {
      const character = this.text[this.position];
      if (character === close && inner === 0) {
        this.position += 1;
        return result;
      }
      // Round brackets inside a round argument: `sqrt((1+2)*3)`.
      if (close === ')') inner += character === '(' ? 1 : character === ')' ? -1 : 0;
      result += this.piece(depth);
    }
    return result;
  }

  private piece(depth: number): string {
    const character = this.text[this.position] ?? '';
    if (character === '\\') return this.command(depth);
    this.position += 1;
    if (character === '{') return `{${this.until('}', depth + 1)}}`;
    if (character === '^' || character === '_') return `${character}{${this.script(depth)}}`;
    return character;
  }

  private command(depth: number): string {
    const [name = '\\'] =
      /^\\(?:[a-zA-Z]+|[\s\S]?)/.exec(this.text.slice(this.position, this.position + 40)) ?? [];
    this.position += name.length;
    if (TYPEFACES.has(name.slice(1))) return ` ${this.argument(depth)} `;
    if (!Object.hasOwn(ARGUMENTS, name)) return name;
    const count = ARGUMENTS[name] ?? 0;
    let result = name === '\\sqrt' ? name + this.optional(depth) : name;
    if (count === 0) return result;
    const wrapped = WRAPPED[name];
    if (wrapped) return wrapped[0] + this.argument(depth) + wrapped[1];
    for (let index = 0; index < count; index++) result += `{${this.argument(depth, count === 1)}}`;
    return result;
  }

  private optional(depth: number): string {
    this.skipSpace();
    if (this.text[this.position] !== '[') return '';
    this.position += 1;
    return `[${this.until(']', depth + 1)}]`;
  }

  /** Rewrites an argument without its braces. `wholeNumbers`: `\sqrt12` is the root of 12, unlike in TeX. */
  private argument(depth: number, wholeNumbers = false): string {
    this.skipSpace();
    const character = this.text[this.position] ?? '';
    if (character === '{' || character === '(') {
      this.position += 1;
      return this.until(character === '{' ? '}' : ')', depth + 1);
    }
    if (wholeNumbers) {
      const digits = this.run(/^\d+(?:\.\d+)?/);
      if (digits) return digits;
    }
    return depth > DEEPEST_NESTING ? '' : this.piece(depth + 1);
  }

  /** Rewrites an exponent or index: a group, a signed number (`x^-2`, `x^10`), or one piece. */
  private script(depth: number): string {
    this.skipSpace();
    const character = this.text[this.position] ?? '';
    if (character === '{') return this.argument(depth);
    const number = this.run(/^-?\s?(?:\d+(?:\.\d+)?|[a-zA-Z](?![a-zA-Z(]))/);
    if (number) return number;
    if (character === '-') {
      this.position += 1;
      return `-${this.argument(depth)}`;
    }
    return this.argument(depth);
  }

  private run(pattern: RegExp): string {
    const [found = ''] = pattern.exec(this.text.slice(this.position, this.position + 400)) ?? [];
    this.position += found.length;
    return found;
  }

  private skipSpace(): void {
    while (this.text[this.position] === ' ') this.position += 1;
  }
}

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
      .replace(/& ?=/g, '=')
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
