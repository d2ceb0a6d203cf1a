/** A piece of an arithmetic expression; `number` keeps its text. */
export interface Token {
  kind: 'number' | 'operator' | 'open' | 'close' | 'command';
  text: string;
}

/** In a puzzle the letter x between numbers is a multiplication sign; in mathematics it is an unknown. */
export type Notation = 'mathematics' | 'puzzle';

const operator = (text: string): Token => ({ kind: 'operator', text });
const STAR = operator('*');
const CARET = operator('^');

/** Anything that is neither here nor a number ends the reading. */
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

/** Commands that only change how an expression looks. */
const SILENT = new Set(['\\left', '\\right', '\\displaystyle', '\\,', '\\;', '\\:', '\\!', '\\ ', '\\quad']);

const PIECE = /\s+|\d+(?:\.\d+)?|\.\d+|\*\*|\\[a-zA-Z]+|\\[^a-zA-Z]|[^\s\d]/g;

/** Splits an expression in plain or LaTeX notation; `undefined` as soon as it holds anything but arithmetic. */
export function tokenize(text: string, notation: Notation): Token[] | undefined {
  const tokens: Token[] = [];
  for (const [piece] of text.matchAll(PIECE)) {
    const token = readPiece(piece, notation);
    if (token === undefined) return undefined;
    if (token) tokens.push(token);
  }
  return tokens;
}

/** `null` for a piece without meaning, `undefined` for one that is no arithmetic. */
function readPiece(piece: string, notation: Notation): Token | null | undefined {
  if (/^\s/.test(piece) || SILENT.has(piece)) return null;
  if (/\d/.test(piece)) return { kind: 'number', text: piece };
  if (piece === '**') return CARET;
  if (notation === 'puzzle' && (piece === 'x' || piece === 'X')) return STAR;
  return Object.hasOwn(SYMBOLS, piece) ? SYMBOLS[piece] : undefined;
}
