const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Without a list of choices the letters A to J may be named, as many as the widest benchmarks offer. */
const UNLISTED = 10;

/** The choices of a question, by letter. */
export class Choices {
  private readonly texts: string[];

  constructor(choices: readonly string[], target: string) {
    this.texts = withoutLabels(choices.slice(0, LETTERS.length)).map(choiceKey);
    const named = LETTERS.indexOf(bareLetter(target));
    this.count = this.texts.length || Math.max(UNLISTED, named + 1);
  }

  /** How many letters are offered. */
  readonly count: number;

  /** The upper-case letter, where it was offered. */
  letter(character: string): string | undefined {
    const index = LETTERS.indexOf(character.toUpperCase());
    return index >= 0 && index < this.count ? LETTERS[index] : undefined;
  }

  /** The letter of the one choice whose text this is. */
  byText(text: string): string | undefined {
    const key = choiceKey(text);
    const index = this.texts.indexOf(key);
    return key !== '' && index >= 0 && this.texts.lastIndexOf(key) === index ? LETTERS[index] : undefined;
  }

  /** Whether a text begins with the choice of this letter, or the choice with the text. */
  startsWith(letter: string, text: string): boolean {
    const own = this.texts[LETTERS.indexOf(letter)];
    const key = choiceKey(text);
    if (!own || key === '') return false;
    return key.startsWith(own) || (key.length >= 3 && own.startsWith(key));
  }

  /** The letter of a target: `B`, `(B)`, `b`, a choice's text, or its position from 0 where that is no choice's text. */
  readTarget(target: string): string | undefined {
    const letter = bareLetter(target);
    if (letter) return this.letter(letter) ?? this.byText(target);
    const byText = this.byText(target);
    if (byText) return byText;
    const position = /^\d{1,2}$/.test(target.trim()) ? Number(target) : -1;
    if (position >= 0 && position < this.texts.length) return LETTERS[position];
    const lettered = /^\(?([A-Za-z])[).:]\s*(\S[\s\S]*)$/.exec(target.trim());
    const named = lettered?.[1] && this.letter(lettered[1]);
    return named && (this.texts.length === 0 || this.startsWith(named, lettered?.[2] ?? ''))
      ? named
      : undefined;
  }
}

/** Some datasets letter their choices already: `A. lead`, `(B) iron`. */
function withoutLabels(choices: string[]): string[] {
  const bare = choices.map((choice, index) => {
    const label = new RegExp(`^\\s*\\(?${LETTERS[index]}[.):]\\s*(?=\\S)`);
    return label.test(choice) ? choice.replace(label, '') : undefined;
  });
  return bare.every((choice) => choice !== undefined) ? bare : choices;
}

/** `B` of `B`, `b`, `(B)`, `B.`, `B)`; otherwise an empty text. */
function bareLetter(text: string): string {
  return /^[([]?\s*([A-Za-z])\s*[)\]]?[.:]?$/.exec(text.trim())?.[1]?.toUpperCase() ?? '';
}

/** A text as choices are compared: without case, Markdown, LaTeX delimiters, spaces around operators, final stop. */
export function choiceKey(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\\(?:text|mathrm|textbf|mathbf|boxed)\{([^{}]{0,400})\}/g, '$1')
    .replace(/\\[,;:! ]|\\[()[\]]|[$*`]/g, ' ')
    .replace(/\{(\w)\}/g, '$1')
    .replace(/(?<![\d.])\.(?=\d)/g, '0.')
    .replace(/\s+/g, ' ')
    .replace(/ ?([=+/^<>(),{}-]) ?/g, '$1')
    .trim()
    .replace(/\.$/, '');
}
