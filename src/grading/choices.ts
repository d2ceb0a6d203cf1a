/** The names of choices, in their order. */
export const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Without a list of choices the letters A to J may be named, as many as the widest benchmarks offer. */
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

  /** How many letters are offered. */
  readonly count: number;

  /** The upper-case letter, where it was offered. */
  letter(character: string): string | undefined {
    const index = character === '' ? -1 : LETTERS.indexOf(character.toUpperCase());
    return index >= 0 && index < this.count ? LETTERS[index] : undefined;
  }

  /** The letter of the one choice whose text this is; the same to the letter comes before the same but for case and markup. */
  byText(text: string): string | undefined {
    const [position, ...others] = withKey(this.keys, text);
    return position === undefined || others.length > 0 ? undefined : LETTERS[position];
  }

  /** Whether a text begins with the choice of this letter, or the choice with the text. */
  startsWith(letter: string, text: string): boolean {
    const own = this.keys.at(-1)?.[LETTERS.indexOf(letter)];
    const key = choiceKey(text);
    if (!own || key === '') return false;
    return key.startsWith(own) || (key.length >= 3 && own.startsWith(key));
  }

  /**
   * The letter of a target: `B`, `(B)`, `b`, a choice's text, or its position from 0 where that is no choice's text. A small
   * letter that is a choice to the letter (`b` among alleles) is that choice.
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

/** `B` and `iron` of `B. iron`, `(B) iron`. */
export function readLettered(text: string): { letter: string; text: string } | undefined {
  const [, letter, rest] = /^\(?([A-Za-z])[).:]\s*(\S[\s\S]*)$/.exec(text.trim()) ?? [];
  return letter === undefined || rest === undefined ? undefined : { letter, text: rest };
}

/** Some datasets letter their choices already: `A. lead`, `(B) iron`. */
function withoutLabels(choices: string[]): string[] {
  const lettered = choices.map(readLettered);
  const inOrder = lettered.every((one, index) => one?.letter === LETTERS[index]);
  return inOrder ? lettered.map((one) => one?.text ?? '') : choices;
}

/** `B` of `B`, `b`, `(B)`, `B.`, `B)`; otherwise an empty text. */
export function bareLetter(text: string): string {
  return /^[([]?\s*([A-Za-z])\s*[)\]]?[.:]?$/.exec(text.trim())?.[1]?.toUpperCase() ?? '';
}

/**
 * Positions of the choices whose text this is: of all that are the same to the letter, else of the only one that is the
 * same but for markup, else of the only one that is the same but for case as well. Genotypes, units and the big and the
 * little o differ by case alone.
 */
export function sameTexts(choices: readonly string[], text: string): number[] {
  return withKey(keysOf(choices), text);
}

/** Each choice as it is compared, from the strictest way to the most lenient one. */
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

/** Whether a question shows every choice with its letter, as `(A) text`, `(A)text`, `A) text`, `A. text` or `A: text`. */
export function printsChoices(question: string, choices: readonly string[]): boolean {
  return choices.every((choice, index) =>
    [') ', '. ', ': ', ')'].some((mark) => question.includes(`${LETTERS[index]}${mark}${choice}`)),
  );
}

/** A text without what is spacing alone. */
function spacedKey(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** A text as choices are compared: without case, Markdown, LaTeX delimiters, spaces around operators, final stop. */
function choiceKey(text: string): string {
  return markupKey(text.normalize('NFKC').toLowerCase());
}

function markupKey(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\\(?:text|mathrm|textbf|mathbf|boxed)\{([^{}]{0,400})\}/g, '$1')
    .replace(/\\[,;:! ]|\\[()[\]]|[$*`]/g, ' ')
    .replace(/\{(\w)\}/g, '$1')
    .replace(/(?<![\d.])\.(?=\d)/g, '0.')
    .replace(/\s+/g, ' ')
    .replace(/ ?([=+/^<>(),{}-]) ?/g, '$1')
    .trim()
    .replace(/ ?\.$/, '');
}

const KEYS = [spacedKey, markupKey, choiceKey];
