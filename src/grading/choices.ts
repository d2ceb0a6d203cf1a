import { plainMarks } from './extraction/plain-characters.js';

/** Letters of choices, in their order. */
export const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Number of letters, A to J, where there is no list of choices: as many as the largest benchmarks offer. */
const UNLISTED = 10;

/** The choices of a question, by letter. */
export class Choices {
  private readonly texts: string[];
  private readonly keys: readonly string[][];

  constructor(choices: readonly string[], target: string) {
    this.texts = withoutLabels(choices.slice(0, LETTERS.length));
    this.keys = keysOf(this.texts);
    const named = LETTERS.indexOf(bareLetter(target));
    this.count = this.texts.length || Math.max(UNLISTED, named + 1);
  }

  /** Number of letters that are offered. */
  readonly count: number;

  /** Returns the upper-case letter, where it is offered. */
  letter(character: string): string | undefined {
    const index = character === '' ? -1 : LETTERS.indexOf(character.toUpperCase());
    return index >= 0 && index < this.count ? LETTERS[index] : undefined;
  }

  /** Returns the text of this letter's choice; empty where the choices are not known. */
  text(letter: string): string {
    return this.texts[LETTERS.indexOf(letter)] ?? '';
  }

  /** Finds the letter of the only choice with this text; an exact match precedes one without case and markup. */
  byText(text: string): string | undefined {
    const [position, ...others] = withKey(this.keys, text);
    return position === undefined || others.length > 0 ? undefined : LETTERS[position];
  }

  /** True if a text begins with the text of this letter's choice, or the choice with the text. */
  startsWith(letter: string, text: string): boolean {
    const own = this.keys.at(-1)?.[LETTERS.indexOf(letter)];
    const key = choiceKey(text);
    if (!own || key === '') return false;
    return key.startsWith(own) || (key.length >= 3 && own.startsWith(key));
  }

  /**
   * Returns the letter of a target: `B`, `(B)`, `b`, a choice's text, or its position from 0 where that is no choice's
   * text. A lower-case letter that is a choice's exact text (`b` among alleles) is that choice.
   */
  readTarget(target: string): string | undefined {
    const isText = target.trim() !== bareLetter(target) && this.texts.includes(target.trim());
    const letter = isText ? undefined : this.letter(bareLetter(target));
    const named = letter ?? this.byText(target);
    if (named) return named;
    const position = /^\d{1,2}$/.test(target.trim()) ? Number(target) : -1;
    if (position >= 0 && position < this.texts.length) return LETTERS[position];
    const lettered = readLettered(target);
    const own = lettered && this.letter(lettered.letter);
    return own && (this.texts.length === 0 || this.startsWith(own, lettered.text)) ? own : undefined;
  }
}

/** Splits `B. iron` or `(B) iron` into `B` and `iron`. */
export function readLettered(text: string): { letter: string; text: string } | undefined {
  const [, letter, rest] = /^\(?([A-Za-z])[).:]\s*(\S[\s\S]*)$/.exec(text.trim()) ?? [];
  return letter === undefined || rest === undefined ? undefined : { letter, text: rest };
}

/** Removes letters from choices that have them already: `A. lead`, `(B) iron`. */
function withoutLabels(choices: string[]): string[] {
  const lettered = choices.map(readLettered);
  const inOrder = lettered.every((one, index) => one?.letter === LETTERS[index]);
  return inOrder ? lettered.map((one) => one?.text ?? '') : choices;
}

/** Returns `B` for `B`, `b`, `(B)`, `B.`, `B)`; otherwise an empty text. */
export function bareLetter(text: string): string {
  return /^[([]?\s*([A-Za-z])\s*[)\]]?[.:]?$/.exec(text.trim())?.[1]?.toUpperCase() ?? '';
}

/**
 * Returns the positions of the choices with this text: all that are exactly equal, else the only one that is equal but
 * for delimiters and emphasis, else for markup, else for case as well. Genotypes, units and big-O and little-o notation
 * differ by case alone.
 */
export function sameTexts(choices: readonly string[], text: string): number[] {
  return withKey(keysOf(choices), text);
}

/** Returns each choice's keys, from the strictest to the most lenient level. */
function keysOf(choices: readonly string[]): string[][] {
  return KEYS.map((keyOf) => choices.map(keyOf));
}

function withKey(keys: readonly string[][], text: string): number[] {
  for (const [level, keyOf] of KEYS.entries()) {
    const key = keyOf(text);
    if (key === '') return [];
    const found = (keys[level] as string[]).flatMap((own, index) => (own === key ? [index] : []));
    if (found.length > 0) return found.length === 1 || level === 0 ? found : [];
  }
  return [];
}

/** Reports whether a question shows all choices by letter: `(A) text`, `(A)text`, `A) text`, `A. text`, `A: text`. */
export function printsChoices(question: string, choices: readonly string[]): boolean {
  return choices.every((choice, index) =>
    [') ', '. ', ': ', ')'].some((mark) => question.includes(`${LETTERS[index]}${mark}${choice}`)),
  );
}

/** Normalises white space. */
function spacedKey(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}

/**
 * Returns the most lenient key: without case, Markdown, LaTeX delimiters, spaces around operators and before units,
 * kinds of hyphens and quotation marks, final stop.
 */
function choiceKey(text: string): string {
  return markupKey(text.normalize('NFKC').toLowerCase());
}

function markupKey(text: string): string {
  return (
    plainMarks(text.normalize('NFKC'))
      .replace(/[–−]/g, '-')
      .replace(/\\(?:text|mathrm|textbf|mathbf|boxed)\{([^{}]{0,400})\}/g, '$1')
      .replace(/\\[,;:! ]|\\[()[\]]|[$*`]/g, ' ')
      // `\frac{1}{2}` is `1/2`, and `3.0` is `3`.
      .replace(/\\[dt]?frac\{(\w{1,20})\}\{(\w{1,20})\}/g, '$1/$2')
      .replace(/(?<![\d.])(\d{1,20})\.0{1,20}(?![\d.])/g, '$1')
      .replace(/\{(\w)\}/g, '$1')
      .replace(/(?<![\d.])\.(?=\d)/g, '0.')
      .replace(/\s+/g, ' ')
      .replace(/ ?([=+/^<>(),{}-]) ?/g, '$1')
      // `1,000 kg` and `1000kg` are one amount.
      .replace(/(?<=\d)(?:,(?=\d{3}(?!\d))| (?=[\p{L}°%]))/gu, '')
      .trim()
      .replace(/ ?\.$/, '')
  );
}

const bareKey = (text: string) => spacedKey(text.replace(/\\[()[\]]|[$*`]/g, ' '));
const KEYS = [spacedKey, bareKey, markupKey, choiceKey];
