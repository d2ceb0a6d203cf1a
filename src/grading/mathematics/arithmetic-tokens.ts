/** A piece of an arithmetic expression; numbers keep their text. */
export interface Token {
  kind: 'number' | 'operator' | 'open' | 'close' | 'command';
  text: string;
}

/** Notation: in a puzzle the letter x between numbers means multiplication, in mathematics an unknown. */
export type Notation = 'mathematics' | 'puzzle';

const operator = (text: string): Token => ({ kind: 'operator', text });
const STAR = operator('*');
const CARET = operator('^');

/** Tokens by symbol. Any other symbol makes the expression unreadable. */
const SYMBOLS: Record<string, Token> = {
  '+': operator('+'),
  '-': operator('-'),
  '−': operator('-'),
  '–': operator('-'),
  '*': STAR,
  '×': STAR,
  '·': STAR,
  '⋅': STAR,
  '∗': STAR,
  '/': operator('/'),
  '÷': operator('/'),
  '∕': operator('/'),
  '^': CARET,
  '!': operator('!'),
  '(': { kind: 'open', text: '(' },
  ')': { kind: 'close', text: ')' },
  '[': { kind: 'open', text: '[' },
  ']': { kind: 'close', text: ']' },
  '{': { kind: 'open', text: '{' },
  '}': { kind: 'close', text: '}' },
  '\\times': STAR,
  '\\cdot': STAR,
  '\\ast': STAR,
  '\\div': operator('/'),
  '\\frac': { kind: 'command', text: '\\frac' },
  '\\dfrac': { kind: 'command', text: '\\frac' },
  '\\tfrac': { kind: 'command', text: '\\frac' },
  '\\binom': { kind: 'command', text: '\\binom' },
};

/** Commands that only change the appearance of an expression. */
const SILENT = new Set(['\\left', '\\right', '\\displaystyle', '\\,', '\\;', '\\:', '\\!', '\\ ', '\\quad']);

const PIECE = /\s+|\d+(?:\.\d+)?|\.\d+|\*\*|\\[a-zA-Z]+|\\[^a-zA-Z]|[^\s\d]/g;

/** Splits an expression in plain or LaTeX notation; `undefined` where it contains anything but arithmetic. */
export function tokenize(text: string, notation: Notation): Token[] | undefined {
  const tokens: Token[] = [];
  for (const [piece] of text.matchAll(PIECE)) {
    const token = readPiece(piece, notation);
    if (token === undefined) return undefined;
    if (token) tokens.push(token);
  }
  return tokens;
}

/** Reads a piece; `null` for one without meaning, `undefined` for one that is not arithmetic. */
function readPiece(piece: string, notation: Notation): Token | null | undefined {
  if (/^\s/.test(piece) || SILENT.has(piece)) return null;
  if (/\d/.test(piece)) return { kind: 'number', text: piece };
  if (piece === '**') return CARET;
  if (notation === 'puzzle' && (piece === 'x' || piece === 'X')) return STAR;
  return Object.hasOwn(SYMBOLS, piece) ? SYMBOLS[piece] : undefined;
}
