import { withoutTrailing } from '../contracts/trailing.js';
import { type Choices, LETTERS } from './choices.js';
import {
  type AnswerForms,
  afterLetter,
  denials,
  isCapital,
  JOINTS,
  LETTER,
  latinLetter,
} from './extraction/answer-forms.js';
import { plainMarks } from './extraction/plain-characters.js';
import { firstSentence } from './extraction/statement.js';

/**
 * Meaning of a statement about the choices: a letter; `unclear` where it names several, or asks about one; `none` where
 * it names no offered letter.
 */
export type LetterStatement =
  | { kind: 'letter'; letter: string }
  | { kind: 'unclear'; letters: string[] }
  | { kind: 'none'; notOffered?: string };

const named = (letter: string): LetterStatement => ({ kind: 'letter', letter });
const unclear = (...letters: string[]): LetterStatement => ({ kind: 'unclear', letters });
const NONE: LetterStatement = { kind: 'none' };

/** Words without meaning before a letter. */
const FILLERS =
  /^(?:(?:most |very )?(?:likely|probably|definitely|clearly|certainly|indeed|simply|therefore|thus|hence|then|actually|still|given (?:by|in)|found in|the|correct|best|right|final|option|choice|letter|answer|is|be|:|-)\b[:\s]*|[:\s=]+)+/i;

/** Maximum number of words before a letter that are skipped. */
const MAX_FILLERS = 8;

/** Maximum length of a statement in which a choice's text is searched together with other text. */
export const LONGEST_TEXT = 2_000;

/** Words after a letter and a space that show the letter to be a choice and not the beginning of a sentence. */
const CONTINUES =
  /^(?:because|since|as|due|is|was|for|with|which|so|and so|but|hence|thus|given|based|rather|instead|i\.e)\b/i;

/** Beginning of a reason after a choice: `slate, because it splits`. */
export const REASON = /,? (?:because|since|as|which|due to)\b|,? [-–—] /i;

/** Pattern of a letter alone: `B`, `(b)`, `B.`. */
const SINGLE_LETTER = new RegExp(String.raw`^\(?${LETTER}\)?[.:!]?$`, 'u');

const LEADING_LETTER = new RegExp(String.raw`^(?:([([])\s*(${LETTER})\s*[)\]]|(${LETTER}))`, 'u');

/** Returns the offered letter for a written letter of any script. */
export const offeredLetter = (written: string, choices: Choices) => choices.letter(latinLetter(written));

/** Returns the offered letter where a text is one. */
export function loneLetter(text: string, choices: Choices): string | undefined {
  return SINGLE_LETTER.test(text) ? offeredLetter(text.replace(/[().:!]/g, ''), choices) : undefined;
}

/**
 * Reads the text right after an answer marker.
 * @param languages the languages that the marker may be in, where that is not English
 */
export function readLetterStatement(
  statement: string,
  choices: Choices,
  languages: readonly AnswerForms[] = [],
): LetterStatement {
  const text = plainLetters(statement);
  const reasons = [REASON, ...languages.flatMap(({ reason }) => reason ?? [])];
  const whole = [statement, text, firstLine(text)]
    .map((one) => byText(one, choices, reasons))
    .find((one) => one !== undefined);
  // Where a choice's text is itself a letter, the letter as a name takes precedence.
  if (whole && loneLetter(text, choices) === undefined) return named(whole);
  const claim = withoutPlace(withoutFillers(text, languages).replace(REJECTED, ''), choices);
  if (/^(?:not|neither|none|either|both)\b/i.test(claim))
    return /^(?:not|none)/i.test(claim) ? NONE : unclear();
  if (languages.some(({ not }) => not && claim.search(not) === 0)) return NONE;
  const match = LEADING_LETTER.exec(claim);
  const written = match?.[2] ?? match?.[3] ?? '';
  const letter = match && offeredLetter(written, choices);
  const rest = claim.slice(match?.[0].length);
  if (!match || !letter) {
    const isLone = match !== null && rest.trim() === '' && isCapital(written);
    const said = fromText(claim, choices, languages);
    return said.kind === 'none' && isLone ? { kind: 'none', notOffered: latinLetter(written) } : said;
  }
  if (isDenied(rest, languages)) return NONE;
  if (match[1] === undefined && !isChoice(written, letter, rest, text, choices, languages))
    return fromText(claim, choices, languages);
  if (/^\s*\?/.test(rest)) return unclear(letter);
  const other = otherLetter(letter, rest, choices);
  return other === undefined ? named(letter) : unclear(letter, other);
}

/** Finds a choice by its text, with or without the full stop and the reason after it. */
export function byText(text: string, choices: Choices, reasons: RegExp[]): string | undefined {
  const bare = withoutTrailing(text, /[.!。\s]/);
  const whole = choices.byText(text) ?? choices.byText(bare);
  if (whole || bare.length > LONGEST_TEXT) return whole;
  const sentence = firstSentence(bare);
  const ends = reasons.map((reason) => sentence.search(reason)).filter((end) => end > 0);
  return choices.byText(sentence) ?? choices.byText(sentence.slice(0, Math.min(sentence.length, ...ends)));
}

function withoutFillers(text: string, languages: readonly AnswerForms[]): string {
  let claim = text.replace(FILLERS, '');
  for (let count = 0; count < MAX_FILLERS; count++) {
    const before = claim;
    for (const { filler, letterFiller } of languages) {
      claim = claim.replace(filler, '');
      if (letterFiller) claim = claim.replace(letterFiller, '');
    }
    if (claim === before) break;
  }
  return claim;
}

const PLACES = ['first', 'second', 'third', 'fourth', 'fifth'];
const PLACED =
  /^(first|second|third|fourth|fifth|last) (?:answer )?(?:option|choice|one|answer|statement)(?! ?\p{L})/iu;

/** Writes a choice that is named by its place as its letter: `second option (slate)`. */
function withoutPlace(claim: string, choices: Choices): string {
  const place = PLACES.indexOf(PLACED.exec(claim)?.[1]?.toLowerCase() ?? '');
  const letter = LETTERS.slice(0, choices.count).at(place) ?? '';
  return choices.text('A') === '' ? claim : claim.replace(PLACED, letter);
}

/** A choice that is rejected before another one: `not A but B`. */
const REJECTED = new RegExp(String.raw`^not [([]?(?:${LETTER})[)\]]?,? but (?:rather |instead )?`, 'u');

/** Beginning of a denial after a letter, `B is incorrect; C`; `B is false` may be what a question asks for. */
const WRONG =
  /^\s?(?:is|was)(?:(?:n['’]t|\snot)\s(?:the\s)?(?:correct|right|answer)\b|\s(?:incorrect|wrong)\s?[;,.—–-]\s?(?:so |it['’]s |it is )?\(?[A-Z]\b)/;

/** Reports whether a choice is negated after its letter: `B is wrong`, `正解はBではありません`. */
function isDenied(rest: string, languages: readonly AnswerForms[]): boolean {
  if (WRONG.test(rest)) return true;
  const clause = /^[^,.;!?\n]{0,30}/.exec(rest)?.[0] ?? '';
  if (clause.trim() === '') return false;
  const denying = languages.length === 0 ? denials() : languages.flatMap(({ notAfter }) => notAfter ?? []);
  return denying.some((denial) => denial.test(clause));
}

/** Reports whether a letter without brackets is meant as a choice. */
function isChoice(
  written: string,
  letter: string,
  rest: string,
  text: string,
  choices: Choices,
  languages: readonly AnswerForms[],
): boolean {
  if (rest.trim() === '' || /^\s*[.)\]:;,!?](?:\s|$)/.test(rest)) return true;
  // Accepts `F) text` and `F: text`, also without a space; but not `E=mc^2`, `A-B` or `C_2`.
  if (/^[.)\]:][^\d\s=]/.test(rest) || /^\s*[)\]]/.test(rest)) return true;
  const capital = isCapital(written);
  if (/^\s+[-–—]\s/.test(rest) || /^\s*\(/.test(rest)) return capital;
  const after = [...afterLetter(), ...languages.flatMap((language) => language.after ?? [])];
  if (capital && after.some((one) => one.test(rest))) return true;
  if (capital && otherLetter(letter, rest, choices) !== undefined) return true;
  if (!/^\s/.test(rest)) return false;
  const next = rest.trim();
  if (choices.startsWith(letter, next) && capital) return true;
  if (/^(?:and|or|&|\/)\s/i.test(next)) return capital && text.length < 200;
  return capital && CONTINUES.test(next);
}

const ANOTHER = new RegExp(
  String.raw`^(?:[\s)\].,]*|\s?\((?=[Oo]r\b))(?:,|&|\/|\+|${JOINTS})\s*(?:[Oo]ption |[Cc]hoice )?([([]?)(${LETTER})[)\]]?(?![A-Za-z0-9])`,
  'u',
);

/** Returns the second letter of `A and B`, `A, B`, `(A) or (C)`, `A/B`, `A. text and B. text`: not one answer. */
export function otherLetter(letter: string, rest: string, choices: Choices): string | undefined {
  const other = joinedLetter(letter, rest, choices);
  if (other) return other.letter;
  const joined = joinedLetter(letter, afterOwnText(letter, rest, choices) ?? '', choices);
  // After a choice's text a letter in a sentence may be a word: `A. water and C vitamins`.
  const isChoice =
    joined &&
    (/^\s*(?:[.,;:!]|$)/.test(joined.rest) ||
      afterOwnText(joined.letter, joined.rest, choices) !== undefined);
  return isChoice ? joined.letter : undefined;
}

function joinedLetter(letter: string, text: string, choices: Choices) {
  const [joined = '', bracket = '', written = ''] = ANOTHER.exec(text) ?? [];
  const other = written === '' ? undefined : offeredLetter(written, choices);
  // After a comma a lone "a" or "I" is a word.
  if (!other || other === letter || (/^[aI]$/.test(written) && bracket === '')) return undefined;
  return { letter: other, rest: text.slice(joined.length) };
}

/** Returns what follows a choice's text where it stands after its letter: `. text`, `) text`, ` (text)`, ` – text`. */
export function afterOwnText(letter: string, text: string, choices: Choices): string | undefined {
  const written = choices.text(letter);
  if (written === '' || written.length > LONGEST_TEXT) return undefined;
  const own = dashed(withoutTrailing(plainLetters(written), /[.\s]/));
  const lead = /^[\s)\].:(–—-]{0,8}/.exec(text)?.[0].length ?? 0;
  const at = dashed(text.slice(0, lead + own.length)).indexOf(own);
  const rest = text.slice(at + own.length);
  return own === '' || at < 0 || /^[\p{L}\p{M}\p{N}]/u.test(rest) ? undefined : rest.replace(/^\)/, '');
}

/** Lower case, with one kind of dash: `Diels–Alder`, `−5`. */
const dashed = (text: string) => text.toLowerCase().replace(/[–−]/g, '-');

const SEPARATORS = new RegExp(
  // `A和C`: letters of scripts without spaces may touch a Latin one.
  String.raw`(?:[\s,;/&+()[\].]|(?:(?<![\p{L}\p{M}])|(?<=[A-Z])(?=\p{Lo}))${JOINTS}|(?<![\p{L}\p{M}])(?:[Oo]ptions?|[Cc]hoices?)(?![\p{L}\p{M}]))+`,
  'u',
);

/** Returns the letters of a text that consists of at least two offered letters and nothing else: `A, C`, `(A) (B)`. */
export function listedLetters(text: string, choices: Choices): string[] | undefined {
  if (text.length > 200) return undefined;
  const words = text.split(SEPARATORS).filter((word) => word !== '');
  const letters = words.map((word) => (SINGLE_LETTER.test(word) ? offeredLetter(word, choices) : undefined));
  const known = [...new Set(letters)];
  return known.length > 1 && known.every((letter) => letter !== undefined) ? known : undefined;
}

const BRACKETED = new RegExp(
  String.raw`(?<=^|[\s,;:\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])\((${LETTER})\)(?=$|[\s,;:.\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])`,
  'gu',
);
const NAMED = new RegExp(String.raw`\b(?:option|choice|Option|Choice)\s+\(?(${LETTER})`, 'gu');

/** Finds the letter in brackets or after "option" in the first sentence, `25 N, option (C)`; several are unclear. */
function fromText(claim: string, choices: Choices, languages: readonly AnswerForms[]): LetterStatement {
  const sentence = /^[\s\S]{0,300}?(?=[.!?](?:\s|$)|\n|$)/.exec(claim)?.[0] ?? '';
  if (/\b(?:not|n't|except|eliminate|exclude)\b/i.test(sentence)) return NONE;
  if (languages.some(({ not, notAfter }) => not?.test(sentence) || notAfter?.test(sentence))) return NONE;
  const letters = new Set<string>();
  for (const pattern of [BRACKETED, NAMED, ...languages.flatMap(({ option }) => option ?? [])]) {
    for (const [, written = ''] of sentence.matchAll(pattern)) {
      const letter = isCapital(written) ? offeredLetter(written, choices) : undefined;
      if (letter) letters.add(letter);
    }
  }
  const [only] = letters;
  if (only === undefined) return NONE;
  return letters.size === 1 ? named(only) : unclear(...letters);
}

/** Removes Markdown, LaTeX delimiters, the braces of `\boxed{\text{C}}`, and check marks, but not crosses. */
export function plainLetters(text: string): string {
  return (
    plainMarks(text)
      .replace(/[✅✔✓☑👉👍🎯🎉]/gu, ' ')
      .replace(/~~[^~\n]{1,200}~~/g, ' ')
      // `[[B]]`, `<B>`, and `BBBBB`, as LiveBench wants it.
      .replace(/\[{2,3}([A-Z])\]{2,3}|(?<!\p{L})<{1,3}([A-Z])>{1,3}(?!\p{L})/gu, '($1$2)')
      .replace(/(?<![\p{L}\p{N}])([A-Z])\1{4}(?![\p{L}\p{N}])/gu, '$1')
      .replace(/\\(?:boxed|fbox|text|textbf|textit|textrm|mathrm|mathbf|mathsf|mbox|bf|rm)\b\s*/g, '')
      .replace(/\\[()[\]]|\\[,;:! ]|[$*`{}"“”]|_{2,}/g, ' ')
      .replace(/<\/?[a-z_]{1,20}>|(?<![\p{L}\p{M}\d])['‘’]|['‘’](?![\p{L}\p{M}\d])/giu, ' ')
      .replace(/[ \t]+/g, ' ')
      .replace(/ (?=[.!?,;:](?:\s|$))/g, '')
      .replace(/^[\s>#:.-]+/, '')
      .trim()
  );
}

const firstLine = (text: string) => text.slice(0, (text.indexOf('\n') + 1 || text.length + 1) - 1);
