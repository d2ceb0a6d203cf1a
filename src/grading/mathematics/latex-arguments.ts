import { DEEPEST_NESTING } from '../bounds.js';
import { TYPEFACES } from './latex-commands.js';

/** Number of arguments of each command; `\sqrt[3]{x}` has an optional one before them. */
const ARGUMENTS: Record<string, number> = {
  '\\frac': 2,
  '\\binom': 2,
  '\\sqrt': 1,
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
export function braceArguments(text: string): string {
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
    for (let index = 0; index < count; index++) result += `{${this.argument(depth, name === '\\sqrt')}}`;
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
