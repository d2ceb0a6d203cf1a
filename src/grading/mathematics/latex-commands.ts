/** Replacements with the same meaning; an empty text removes the command. */
const SAME_AS: Record<string, string> = {
  dfrac: '\\frac',
  tfrac: '\\frac',
  cfrac: '\\frac',
  dbinom: '\\binom',
  tbinom: '\\binom',
  le: '\\leq ',
  leqslant: '\\leq ',
  ge: '\\geq ',
  geqslant: '\\geq ',
  lt: '<',
  gt: '>',
  ne: '\\neq ',
  cdotp: '\\cdot ',
  ast: '\\cdot ',
  div: '/',
  lbrace: '\\{',
  rbrace: '\\}',
  lbrack: '[',
  rbrack: ']',
  lparen: '(',
  rparen: ')',
  lvert: '|',
  rvert: '|',
  vert: '|',
  mid: '|',
  lVert: '\\|',
  rVert: '\\|',
  dots: '\\ldots ',
  cdots: '\\ldots ',
  dotsc: '\\ldots ',
  varnothing: '\\emptyset ',
  infin: '\\infty ',
  degree: '^{\\circ}',
  deg: '^{\\circ}',
  tg: '\\tan ',
  ctg: '\\cot ',
  arctg: '\\arctan ',
  cosec: '\\csc ',
  land: ',',
  lor: ',',
  tbinomial: '\\binom',
  // Commands for appearance only.
  left: '',
  right: '',
  middle: '',
  big: '',
  Big: '',
  bigg: '',
  Bigg: '',
  bigl: '',
  bigr: '',
  Bigl: '',
  Bigr: '',
  displaystyle: ' ',
  textstyle: ' ',
  limits: '',
  nolimits: '',
  quad: ' ',
  qquad: ' ',
  hspace: ' ',
  thinspace: '',
  therefore: ' ',
  bf: ' ',
  rm: ' ',
  it: ' ',
};

/** Commands that only change the typeface of their argument, which stays unchanged. */
export const TYPEFACES = new Set([
  ...['text', 'textbf', 'textit', 'textrm', 'textnormal', 'textsf', 'texttt', 'mbox', 'hbox', 'emph'],
  ...['mathrm', 'mathbf', 'mathit', 'mathsf', 'mathtt', 'mathcal', 'mathscr', 'boldsymbol', 'bm', 'bold'],
  ...['vec', 'overrightarrow', 'hat', 'widehat', 'tilde', 'underline', 'operatorname', 'boxed', 'fbox'],
]);

/** Functions with a backslash in LaTeX and without one in plain text. */
export const FUNCTIONS = new Set([
  ...['sin', 'cos', 'tan', 'cot', 'sec', 'csc', 'arcsin', 'arccos', 'arctan'],
  ...['sinh', 'cosh', 'tanh', 'ln', 'log', 'lg', 'exp', 'gcd', 'lcm', 'max', 'min'],
]);

/** Plain words for a symbol, with its LaTeX. */
export const SYMBOL_WORDS: Record<string, string> = {
  ...{ pi: '\\pi ', theta: '\\theta ', alpha: '\\alpha ', beta: '\\beta ', gamma: '\\gamma ' },
  ...{ lambda: '\\lambda ', phi: '\\phi ', infinity: '\\infty ', infty: '\\infty ', inf: '\\infty ' },
  ...{ asin: '\\arcsin ', acos: '\\arccos ', atan: '\\arctan ', sqrt: '\\sqrt ', cbrt: '\\sqrt[3]' },
  ...{ abs: '\\abs ', floor: '\\floor ', ceil: '\\ceil ', ceiling: '\\ceil ', cis: '\\cis ' },
  ...{ and: ',', or: ',', union: '\\cup ', percent: '\\%', percentage: '\\%', pct: '\\%' },
  ...{ degrees: '^{\\circ}', degree: '^{\\circ}', deg: '^{\\circ}' },
};

/** Replaces each command by its common spelling. */
export function oneSpelling(text: string): string {
  return text.replace(/\\([a-zA-Z]+)\*?/g, (command, name: string) =>
    Object.hasOwn(SAME_AS, name) ? (SAME_AS[name] ?? '') : command,
  );
}
