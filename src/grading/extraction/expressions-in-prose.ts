import { withoutTrailing } from '../../contracts/trailing.js';
import { FUNCTIONS, SYMBOL_WORDS } from '../mathematics/latex-commands.js';
import { readUnit } from '../mathematics/units.js';

/** A mathematical expression inside a text. */
export interface FoundExpression {
  text: string;
  start: number;
  end: number;
  /** True if the words around it make it a bound, or negate it: `at least 5`, `not 5`. */
  qualified?: boolean;
}

const DISPLAYED = /\$\$([^$]{1,1000})\$\$|\\\[([\s\S]{1,1000}?)\\\]|\\\(([\s\S]{1,1000}?)\\\)/g;

/**
 * Finds the expressions of a text: those between mathematical delimiters, and numbers and formulas without delimiters.
 * Several that are joined by commas, "and" or "or" are one list.
 */
export function findExpressions(text: string): FoundExpression[] {
  const displayed = [...text.matchAll(DISPLAYED)].map(
    (match): FoundExpression => ({
      text: match.slice(1).find((group) => group !== undefined) ?? '',
      start: match.index,
      end: match.index + match[0].length,
    }),
  );
  const isDisplayed = (one: FoundExpression) =>
    displayed.some((other) => one.start < other.end && other.start < one.end);
  const delimited = [...displayed, ...findInline(text).filter((one) => !isDisplayed(one))];
  delimited.sort((a, b) => a.start - b.start);
  const found: FoundExpression[] = [];
  let position = 0;
  for (const one of delimited) {
    found.push(...findBare(text, position, one.start));
    found.push(one);
    position = one.end;
  }
  found.push(...findBare(text, position, text.length));
  return joinLists(text, withSuffix(text, found)).map((one) =>
    isQualified(text, one) ? { ...one, qualified: true } : one,
  );
}

/** Finds `$…$` in one line, with mathematics inside: `$5 and $10` are two amounts of money. */
function findInline(text: string): FoundExpression[] {
  const found: FoundExpression[] = [];
  const dollars = [...text.matchAll(/(?<!\\)\$/g)].map((match) => match.index);
  for (let index = 0; index + 1 < dollars.length; index++) {
    const [start = 0, end = 0] = dollars.slice(index, index + 2);
    const content = text.slice(start + 1, end);
    const words = content.replace(
      /\\(?:text|mathrm|mbox|operatorname|begin|end)\s?\{[^{}]*\}|\\[a-zA-Z]+/g,
      ' ',
    );
    if (content.trim() === '' || content.length > 400 || /\n|[a-zA-Z]{3,}|\b(?:is|or|of|to)\b/.test(words))
      continue;
    // `$5+$3=$8` is a computation with money.
    if (/[-+*/=x×]\s?$/.test(content) && /\d/.test(text[end + 1] ?? '')) continue;
    found.push({ text: content.trim(), start, end: end + 1 });
    index += 1;
  }
  return found;
}

/** Finds formulas and numbers without delimiters: runs of words that contain only mathematics. */
function findBare(text: string, from: number, to: number): FoundExpression[] {
  const runs: FoundExpression[] = [];
  let isOpen = false;
  for (const { 0: piece, index } of text.slice(from, to).matchAll(/\S+/g)) {
    const word = withoutEdges(piece);
    const start = from + index + piece.indexOf(word);
    const end = start + word.length;
    const last = runs.at(-1);
    const isNewLine = text.slice(last?.end, start).includes('\n') && !/^=|=$/.test(`${last?.text}${word}`);
    if (isNewLine) isOpen = false;
    if (word === '' || !isMathematicalWord(word) || isLabel(text, from + index, piece)) isOpen = false;
    else {
      if (isOpen && last) Object.assign(last, { end, text: text.slice(last.start, end) });
      else runs.push({ text: word, start, end });
      // Punctuation after a word ends the formula.
      isOpen = end === from + index + piece.length;
    }
  }
  return runs.map(trimOperators).filter((one) => /\d|\\[a-zA-Z]|[√π∞]/.test(one.text));
}

/** Removes quotes, emphasis and punctuation; a round bracket stays where its partner is in the word. */
function withoutEdges(piece: string): string {
  if (piece === '*') return piece;
  // `1,000.99m²` is a number with its unit.
  const opened = piece.replace(/^["'“*_`]+/, '').replace(/(?<=\d)(?:[ckm]?m|ft)[²³](?=[.,;:!?]*$)/, '');
  const bare = withoutTrailing(opened, /[.,;:!?"'”*_`]/);
  const isFactorial = /^!+$/.test(opened.slice(bare.length)) && /\d!/.test(opened);
  const closed = isFactorial ? opened : bare;
  const open = closed.split('(').length;
  const close = closed.split(')').length;
  if (open > close && closed.startsWith('(')) return closed.slice(1);
  return close > open && closed.endsWith(')') ? closed.slice(0, -1) : closed;
}

const DATE = /^\d{1,2}[/.]\d{1,2}[/.]\d{2,4}$|^\d{4}-\d{2}-\d{2}$/;

function isMathematicalWord(word: string): boolean {
  if (DATE.test(word)) return false;
  if (/[^\d+\-−–*/^=<>≤≥≠≈()[\]{}|!%°√π∞×·÷±.,:$€£¥₹₩₽₺₫₴₦₱₪฿\\a-zA-Z_²³½¼¾'&]/.test(word)) return false;
  if (/^[aI]$/.test(word)) return false;
  for (const [run] of word.matchAll(/(?<![\\a-zA-Z])[a-zA-Z]{2,}/g)) {
    if (!FUNCTIONS.has(run) && (!Object.hasOwn(SYMBOL_WORDS, run) || run === 'and' || run === 'or'))
      return false;
  }
  return !/^[:.,'&!-]+$/.test(word) || word === '-';
}

const LABELLED =
  /\b(?:steps?|cases?|parts?|equations?|eqs?|problem|question|figure|fig|table|section|chapter|lemma|theorem|example|method|option|mod|modulo)\.? \(?$/i;

/** Reports whether a number labels the text: `Step 3`, or the `1.` of a list item. */
function isLabel(text: string, start: number, word: string): boolean {
  if (LABELLED.test(text.slice(Math.max(0, start - 12), start))) return true;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  return (
    /^\d{1,2}[.)]$/.test(word) &&
    text.slice(lineStart, start).trim() === '' &&
    /^[ \t]+\S/.test(text.slice(start + word.length))
  );
}

function trimOperators(found: FoundExpression): FoundExpression {
  const lead = /^(?:[=+*/^<>≤≥≈|,:×·÷]\s*|-\s+|[a-zA-Z]\s+(?=[\d\\(]))+/.exec(found.text)?.[0].length ?? 0;
  const text = withoutTrailingOperators(found.text.slice(lead));
  const closed = text.includes('{') ? text : withoutTrailing(text, /\}/);
  return { text: closed, start: found.start + lead, end: found.start + lead + closed.length };
}

/** Removes operators and single letters at the end, and the space before them. */
function withoutTrailingOperators(text: string): string {
  for (let rest = text; ; ) {
    const before = rest.slice(0, -1);
    const spaced = before.trimEnd();
    const isLetter = /[a-zA-Z]$/.test(rest.slice(-1)) && spaced !== before;
    if (!isLetter && !/[=+\-*/^<>≤≥≈|×·÷]$/.test(rest.slice(-1))) return rest;
    rest = spaced;
  }
}

/** Adds a percent sign or a word such as "million" directly after an expression to it. */
function withSuffix(text: string, found: FoundExpression[]): FoundExpression[] {
  return found.map((one) => {
    const match =
      /^\s?(?:\\?%|percent\b|pct\b|percentage\b|degrees?\b|°|thousand\b|lakh\b|crore\b|million\b|billion\b|trillion\b)/i.exec(
        text.slice(one.end, one.end + 14),
      );
    return match ? { ...one, text: `${one.text} ${match[0].trim()}`, end: one.end + match[0].length } : one;
  });
}

const BEFORE =
  /\b(?:(?:not|never|cannot|\w{2,6}n['’]t)(?: be)?(?: (?:exactly|just|only|quite|simply|merely|precisely|necessarily|really|equal(?: to)?|exceed|the))?|or(?: (?:maybe|perhaps|possibly|even))?|at (?:least|most)|anything but|as (?:many|much) as|(?:more|less|fewer|greater|larger|smaller) than(?: or equal to)?|over|under|above|below|between) $/i;
const SIGN_BEFORE =
  /(?:(?<![=>-]|<\/?[a-z][^<>]{0,20})>|<(?![=-])|[<>]=|[≤≥]|\\(?:geq?|leq?|gt|lt)(?![a-z]))[\s$]{0,2}$/i;
const AFTER =
  /^ (?:\(?or (?:more|less|fewer|greater|above|below|so)|\(?and (?:above|below|up)|\(at (?:least|most)|(?:is|was) (?:wrong|incorrect|false|not (?:the|right|correct))|(?:is|was|ca)n['’]t (?:the|right|correct|be)|cannot be)\b/i;

/** Words before a bound or a range, "up to 5" or "5 to 10"; behind others the last number counts: `rounds 4.6 up to 5`. */
const STATES =
  /(?:^|[.:\n]\s?|\b(?:is|are|was|were|be|for|in|(?:carr|contain|cost|fit|ha[sv]|hold|last|need|seat|spend|tak)\w{0,3}) )(?:(?:about|around|approximately|roughly) )?$/i;

function isQualified(text: string, { start, end }: FoundExpression): boolean {
  const before = text.slice(Math.max(0, start - 40), start);
  const after = text.slice(end, end + 20);
  // `> 10` at the beginning of a line is a quotation, and `<10>` fills in a form.
  const isBound = SIGN_BEFORE.test(before) && !/(?:^|\n)[ \t]*>\s+$/.test(before) && !after.startsWith('>');
  const isLimit = /\bup to $/i.test(before) && STATES.test(before.slice(0, -6));
  return isBound || isLimit || BEFORE.test(before) || AFTER.test(after);
}

const JOINED = /^(?:[\s,;&$]|\band\b|\bor\b|\\text\{ ?(?:and|or) ?\}|\\q?quad)*$/;

/** Units of which an amount may have both: `2 hours and 30 minutes`, `5 feet 4 inches`. */
const PARTS =
  /^(?:year (?:month|week|day)|month (?:week|day)|week day|day h|h minute|minute s|yard foot|foot inch|pound ounce)$/;

/** Returns the unit after a number that is a part of the amount before it: ` minutes` behind `2 hours 30`. */
function smallerUnit(between: string, after: string): string {
  const [, first = ''] = /^ ?([a-z]{1,8}),? (?:and )?$/.exec(between) ?? [];
  const [unit = '', second = ''] = /^ ?([a-z]{1,8})(?![\p{L}\d])/u.exec(after) ?? [];
  return PARTS.test(`${readUnit(first)} ${readUnit(second)}`) ? unit : '';
}

const RANGE = /^\D?\d[\d.,]*[%$]? to \D?\d[\d.,]*(?:[%$]| ?%| percent)?$/;

function joinLists(text: string, found: FoundExpression[]): FoundExpression[] {
  const joined: FoundExpression[] = [];
  for (const one of found) {
    const last = joined.at(-1);
    const between = last ? text.slice(last.end, one.start) : '';
    const unit = smallerUnit(between, text.slice(one.end, one.end + 12));
    const whole = text.slice(last?.start, one.end);
    const isRange = RANGE.test(whole) && STATES.test(text.slice(0, last?.start).slice(-40));
    if (last && (unit !== '' || isRange)) {
      joined[joined.length - 1] = { text: whole + unit, start: last.start, end: one.end };
    } else if (last && between.length < 40 && JOINED.test(between) && /[,;&]|and|or/.test(between)) {
      joined[joined.length - 1] = { text: `${last.text}, ${one.text}`, start: last.start, end: one.end };
    } else joined.push(one);
  }
  return joined;
}
