import { readArithmetic } from './arithmetic.js';
import { type Rational, rational, readDecimal } from './rational.js';
import { MULTIPLES, plainUnits, readUnit } from './units.js';

/** A single value: a number or an expression, with its unit and other signs. */
export interface Scalar {
  kind: 'scalar';
  /** The expression without unit, percent or degree sign. */
  latex: string;
  /** The exact value, where it is a rational number of bounded size. */
  value?: Rational;
  unit?: string;
  percent?: boolean;
  degrees?: boolean;
  /** Base of the number, where an index states one: `204_5`. The digits are then `latex`. */
  base?: string;
}

const NUMBER_WORDS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
for (const ten of 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' '))
  NUMBER_WORDS.push(...['', ...NUMBER_WORDS.slice(1, 10)].map((one) => (one === '' ? ten : `${ten}-${one}`)));

/** Pattern of single letters that are read as a unit after a number and a space, or a power of ten: `10 m`, `10 s^{-1}`. */
const LETTER_UNITS =
  /^(.*[\d})!])( |(?<=(?:^|\\times ?|\\cdot ?)10\^\{-?\d{1,3}\}))([mgshlLJNWVKACFHMST](?:\^\{-?[123]\})?)$/;

/** Pattern of a number and the words or units after it. */
const WITH_WORDS =
  /^(.*?(?:[\d})!]|\\pi))( ?)((?:[a-zA-Z]|\\(?:mu|Omega)\b)(?:[a-zA-Z ^{}\d/.()-]|\\(?:mu|Omega|cdot|times)\b)*)$/;

/** Reads a normalised expression as a value; `undefined` where it is prose. */
export function readScalar(text: string): Scalar | undefined {
  const word = NUMBER_WORDS.indexOf(text.toLowerCase().replace(' ', '-'));
  if (word >= 0) return withValue({ kind: 'scalar', latex: String(word) });
  const based = /^([0-9A-F]+)_\{(\d{1,2})\}$/.exec(text);
  if (based) return { kind: 'scalar', latex: based[1] ?? '', base: based[2] };
  // `21st` and `21^{st}` are 21.
  const scalar = withoutUnit(text.replace(/^(\d{1,20}) ?(?:st|nd|rd|th|\^\{(?:st|nd|rd|th)\})$/, '$1'));
  scalar.latex = groupedNumber(scalar.latex.trim().replace(/^\+/, ''));
  if (scalar.latex === '' || isProse(scalar.latex)) return undefined;
  return withValue(scalar);
}

/** Adds the exact value, where the expression is a rational number of bounded size. */
export function withValue(scalar: Scalar): Scalar {
  const value = repeatingDecimal(scalar.latex) ?? readArithmetic(scalar.latex)?.value;
  if (value) scalar.value = value;
  return scalar;
}

/** Removes well-formed commas: `1,234,567.5`. */
function groupedNumber(text: string): string {
  return /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replace(/,/g, '') : text;
}

/** Pattern of the currency of a further amount: `\$20 + \$5`. */
const LATER_CURRENCY = /(?<=[-+*/(]|\\(?:times|cdot) ?)\\currency\{[a-z]{3}\}/g;

/** Powers of ten after an amount of money: `$42K`, `$1.5M`. */
const MONEY: Record<string, string> = {
  k: '1000',
  K: '1000',
  M: '1000000',
  mn: '1000000',
  B: '1000000000',
  bn: '1000000000',
};

function withoutUnit(text: string): Scalar {
  const scalar: Scalar = { kind: 'scalar', latex: text };
  const currency = /\\currency\{([a-z]{3})\}/.exec(text);
  if (currency) {
    scalar.unit = currency[1];
    scalar.latex = text
      .replace(currency[0], '')
      .replace(LATER_CURRENCY, (mark) => (mark === currency[0] ? '' : mark))
      .replace(/(?<=\d) ?(?:\/|per ) ?[a-zA-Z]{2,20}$/, '')
      .replace(/(?<=\d) ?([kKMB]|mn|bn)$/, (_, letter: string) => `\\cdot ${MONEY[letter]}`)
      .trim();
  }
  if (/\\%( points?)?$/.test(scalar.latex)) {
    scalar.percent = true;
    scalar.latex = scalar.latex.replace(/\\%( points?)?$/, '').trimEnd();
  } else if (
    /\^\{\\circ\}( ?[CF])?$/.test(scalar.latex) &&
    !/\\(?:sin|cos|tan|cot|sec|csc)/.test(scalar.latex)
  ) {
    scalar.degrees = true;
    scalar.latex = scalar.latex.replace(/\^\{\\circ\}( ?[CF])?$/, '').trimEnd();
  } else splitUnit(scalar);
  return scalar;
}

function splitUnit(scalar: Scalar): void {
  const timed = /^(.*\d)( ?)\\(min|sec)$/.exec(scalar.latex);
  const letter = LETTER_UNITS.exec(scalar.latex);
  const match = timed ?? letter ?? WITH_WORDS.exec(scalar.latex);
  const [, amount = '', gap = '', written = ''] = match ?? [];
  if (!match || isProse(amount)) return;
  const words = plainUnits(written);
  const [first = '', ...rest] = words.split(' ');
  const multiple = MULTIPLES[first.toLowerCase()];
  if (multiple) {
    scalar.latex = `${amount}\\cdot ${multiple}`;
    const unit = readUnit(rest.join(' '));
    if (unit) scalar.unit = unit;
    else if (rest.length > 0) scalar.latex = `${amount} ${written}`;
    return;
  }
  // `3nm` and `x^{2} C` are products, and `$5 M` are millions.
  const isNumber = scalar.unit === undefined && !hasUnknown(amount);
  const isApart = isNumber && (gap !== '' || POWER_OF_TEN.test(amount));
  const unit = readUnit(words, isApart);
  if (!unit || (!letter && !timed && isProduct(written, isApart))) return;
  // `3 pm` and `3:30 pm` are times.
  if (words === 'pm' && /^\d{1,2}$/.test(amount)) return;
  scalar.latex = amount;
  scalar.unit = unit;
}

const POWER_OF_TEN = /(?:^|\\times ?|\\cdot ?)10\^\{-?\d{1,3}\}$/;

const hasUnknown = (latex: string) => /[a-zA-Z]/.test(latex.replace(/\\[a-zA-Z]+/g, ''));

/** Reports whether letters are unknowns: `5m` and `3s^{2}` are products; `5cm`, `5 N\cdot m`, `5 m s^{-2}` are not. */
function isProduct(words: string, isApart: boolean): boolean {
  if (/^[a-zA-Z]{2}|^[^\\]*\//.test(words)) return false;
  return !isApart || !/^[A-Z] |\\|\.|\^\{-/.test(words);
}

/** Reads `0.1\overline{6}` as an exact fraction. */
function repeatingDecimal(text: string): Rational | undefined {
  const match = /^(-?)(\d{1,50})\.(\d{0,50})\\(?:overline|bar|dot)\{(\d{1,50})\}$/.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fixed = '', repeated = ''] = match;
  const nines = BigInt('9'.repeat(repeated.length)) * 10n ** BigInt(fixed.length);
  const all = BigInt(whole + fixed + repeated) - BigInt(whole + fixed);
  return rational(sign ? -all : all, nines);
}

/**
 * Reports whether a normalised text contains words, so that it can only be compared as text. A run of letters is a word
 * unless it is a command, or a product such as `abc` (consecutive letters of the alphabet).
 */
function isProse(text: string): boolean {
  for (const [run] of text.matchAll(/(?<![\\a-zA-Z])[a-zA-Z]{2,}/g)) {
    if (COMMON_PAIRS.has(run.toLowerCase())) return true;
    if (run.length === 2) continue;
    if (run.length > 4 || !isConsecutive(run)) return true;
  }
  return /[^\x20-\x7e¶]/.test(text);
}

const COMMON_PAIRS = new Set(
  'am an as at be by do go he if in is it me my no of oh ok on or so to up us we'.split(' '),
);

function isConsecutive(run: string): boolean {
  for (let index = 1; index < run.length; index++) {
    if (run.charCodeAt(index) !== run.charCodeAt(index - 1) + 1) return false;
  }
  return true;
}

/** A decimal fraction as it was written. */
export interface WrittenDecimal {
  value: Rational;
  /** Significant digits. */
  digits: number;
  /** The value of one unit of its last digit. */
  unit: Rational;
}

/** Reads `3.1416` and `1.38\times10^{-23}`; `undefined` for whole numbers and everything else. */
export function readWrittenDecimal(latex: string): WrittenDecimal | undefined {
  const match = /^[+-]?(\d*)\.(\d+)(?: ?\\times ?10\^\{([+-]?\d{1,4})\})?$/.exec(latex);
  if (!match) return undefined;
  const [, written = '', fraction = '', exponent = '0'] = match;
  const whole = written.replace(/^0+/, '');
  const value = readDecimal(`${latex.startsWith('-') ? '-' : ''}${whole}.${fraction}e${exponent}`);
  const unit = readDecimal(`1e${Number(exponent) - fraction.length}`);
  if (!value || !unit) return undefined;
  const digits = whole === '' ? fraction.replace(/^0+/, '').length : whole.length + fraction.length;
  return { value, digits, unit };
}
