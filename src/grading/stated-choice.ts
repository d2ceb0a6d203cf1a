import { withoutTrailing } from '../contracts/trailing.js';
import { type Choices, LETTERS } from './choices.js';
import { isCapital, LETTER } from './extraction/answer-forms.js';
import { firstSentence } from './extraction/statement.js';
import { afterOwnText, byText, loneLetter, offeredLetter, plainLetters, REASON } from './letter-statement.js';

/** Words with which a reply takes back what it began with. */
export const RETRACTS =
  /\b(?:on second thoughts?|reconsider\w*|correction:|scratch that|my mistake|I was wrong)|(?:^|[.!?–—-]\s)(?:(?:but|oh|no),?\s)?(?:wait|hmm+|actually)\b/im;

/** Pattern of a letter that is marked as a choice: `(B)`, `B.`, `B)`, `B:`, `B –`. */
const MARKED = new RegExp(
  String.raw`[([](${LETTER})[)\]][.:]?|(${LETTER})(?:[.:]|\)[.:]?)(?=\s)|(${LETTER})(?=\s[-–—]\s)`,
  'gu',
);

/** End of a clause whose choice comes next. */
const IS = /\b(?:is|are|was|were|be)(?:\s(?:the|option|choice)){0,2}[\s:]{0,3}$/i;

/** A stop that is not the mark of a letter. */
const CLAUSE_END = /(?<![A-Z])[.!?;]\s|,? but\s/;

/** Words in a sentence that does not settle on the choice in it. */
const OPEN =
  /\b(?:not|never|neither|nor|cannot|except|if|whether|unless|suppose|assum\w+|maybe|perhaps|might|may|could|wrong|unlikely|eliminat\w+|exclud\w+|distractor|mistake\w*|misconception\w*|confus\w+|tempting|examples?|guess|said|some|many|one of|another|alternative\w*|possib\w+|(?:incorrect|first|second|third|next|last|other|one)\s+(?:options?|choices?|answers?|candidates?))\b|n['’]t\b/i;

/**
 * Returns the choices that sentences state by letter and text, which have to agree, `The likely cause is (B) slate.`,
 * `The likely cause is slate (B).`, or by a letter in brackets at their end.
 */
export function statedChoices(line: string, choices: Choices): string[] {
  const marks = [...line.matchAll(MARKED)].flatMap(
    ({ 0: mark, 1: bracketed, 2: plain, 3: dashed, index }) => {
      const written = bracketed ?? plain ?? dashed ?? '';
      const letter = isCapital(written) ? offeredLetter(written, choices) : undefined;
      const end = index + mark.length;
      const ends = bracketed !== undefined && /^(?:[.!]\s|[.!\s]?$)/.test(line.slice(index + 3));
      return letter ? [{ letter, bracketed, start: index, end, ends }] : [];
    },
  );
  return marks.flatMap(({ letter, bracketed, start, end, ends }) => {
    const clause = line.slice(0, start).split(CLAUSE_END).at(-1) ?? '';
    const rest = ends ? '' : firstSentence(line.slice(end));
    if (rest.endsWith('?') || OPEN.test(clause) || OPEN.test(rest)) return [];
    const [from, to] = [start - clause.length, end + rest.length];
    if (marks.some((one) => one.letter !== letter && one.start >= from && one.start < to)) return [];
    const isStated =
      IS.test(clause) && (ends || afterOwnText(letter, line.slice(end), choices) !== undefined);
    const [subject = '', ...texts] = bracketed ? clause.split(/\b(?:is|are|was|were|be)[\s:]/i) : [];
    const text = subject === '' ? '' : (texts.at(-1) ?? '').trim();
    const named = choices.byText(text) ?? choices.byText(text.replace(/^(?:the|an?) /i, ''));
    return isStated || named === letter ? [letter] : [];
  });
}

const CONCLUDED =
  "(?:so|thus|therefore|hence|overall|in (?:short|conclusion|summary)|definitely|I(?:'d| would) say|I think|(?:the )?(?:final )?answer(?: is)?:?(?: that)?)";
const SUBJECT = String.raw`(?:it|this|that|(?:the|this|that|its)\s(?:(?:given|following|original|above|overall)\s)?(?:statement|claim|conclusion|hypothesis|sentence|assertion|proposition|argument|review|tweet|comment|sentiment|label|relationship|emotion|stance|tone)\b[^.,;:!?\n]{0,150})`;

/** Words before a choice's text that say of the question's statement what it is: `So,`, `The statement is`. */
const ASSERTS = new RegExp(
  String.raw`^(?:${CONCLUDED},?\s?)?(?:${SUBJECT}(?:'s|\s(?:is|was))(?:\s(?:therefore|thus|clearly|indeed|actually))?)?$`,
  'i',
);

/** Words before a choice's text where there are many, of which hardly one is said by chance: `The unit is the`. */
const NAMES = /(?:\b(?:is|are|was|were|be|equals)|=)(?:\s(?:the|an?|therefore|thus))?:?["“]?$/i;

/**
 * Returns the choice that a line asserts by its text at the end of the last sentence: `The largest planet is Jupiter.` Of
 * up to three, such as true and false, it may end the first one as well: `The statement is false.`, `So, no.`
 */
export function assertedChoice(line: string, choices: Choices): string | undefined {
  if (RETRACTS.test(line)) return undefined;
  const isFew = choices.count <= 3;
  // A number may be the beginning of one that a length limit cut.
  if (!isFew && !/[.!]["”]?$/.test(line.trimEnd())) return undefined;
  const read = [line.split(CLAUSE_END).at(-1) ?? '', ...(isFew ? [firstSentence(line)] : [])];
  const sentences = read.map((sentence) => {
    const end = sentence.search(REASON);
    return withoutTrailing(end > 0 ? sentence.slice(0, end) : sentence, /[.!\s]/);
  });
  const texts = [...LETTERS.slice(0, choices.count)].map((letter) => ({
    letter,
    text: plainLetters(choices.text(letter)).toLowerCase(),
  }));
  for (const sentence of sentences) {
    const own = texts
      .filter(({ text }) => /\p{L}{2}|\d/u.test(text) && sentence.toLowerCase().endsWith(` ${text}`))
      .sort((one, other) => other.text.length - one.text.length)[0];
    if (!own) continue;
    const before = sentence.slice(0, -own.text.length).trimEnd();
    const isOpen =
      OPEN.test(before) || texts.some(({ text }) => text !== '' && names(before.toLowerCase(), text));
    return !isOpen && (isFew ? ASSERTS : NAMES).test(before) ? own.letter : undefined;
  }
  return undefined;
}

/** First words that lead into a text and only look like a choice. */
const LEADS_IN = /^(?:first|second|third|next|so|now|then|well|however|therefore|thus|hence),/i;

/**
 * Reads a reply that begins with the text of a choice: in a line of its own, before a stop, a reason or a dash, and
 * where there are up to three choices, such as yes, no and maybe, before a comma. No other line may do so with another
 * choice, and the rest of the line and the end of the reply name no other.
 */
export function choiceAtStart(text: string, choices: Choices): string | null {
  const [line = '', ...others] = text.trim().split('\n').map(plainLetters);
  const letter = choiceOfLine(line, choices);
  if (letter === undefined || RETRACTS.test(text)) return null;
  const rest = line.slice(plainLetters(choices.text(letter)).length).toLowerCase();
  const end = withoutTrailing(others.filter((other) => other !== '').at(-1) ?? '', /[.!]/).toLowerCase();
  const texts = [...LETTERS]
    .filter((one) => one !== letter)
    .map((one) => plainLetters(choices.text(one)).toLowerCase());
  if (
    texts.some((other) => other !== '' && (names(rest, other) || names(end.slice(-other.length - 1), other)))
  )
    return null;
  return others.every((other) => (choiceOfLine(other, choices) ?? letter) === letter) ? letter : null;
}

/** Reports whether a choice is named as a word; "no" is an answer only at the end of a clause. */
function names(text: string, choice: string): boolean {
  for (let at = text.indexOf(choice); at >= 0; at = text.indexOf(choice, at + 1)) {
    const after = text.slice(at + choice.length, at + choice.length + 2);
    const isWord =
      !/[\p{L}\p{M}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at)) && !/^[\p{L}\p{M}\p{N}]/u.test(after);
    if (isWord && (choice !== 'no' || /^(?:[.,;:!?)]|$)/.test(after))) return true;
  }
  return false;
}

function choiceOfLine(line: string, choices: Choices): string | undefined {
  // `1.` is the label of a step.
  if (line.endsWith('?') || LEADS_IN.test(line) || /^\d{1,2}[.)](?:\s|$)/.test(line)) return undefined;
  const whole = choices.byText(line) ?? choices.byText(line.replace(/[.!]$/, ''));
  const letter =
    whole ??
    byText(line, choices, [REASON]) ??
    (choices.count <= 3 ? byText(line, choices, [REASON, /[,;]\s/]) : undefined);
  if (letter === undefined) return undefined;
  const own = choices.text(letter);
  // A choice that is a letter is called by its own letter, and a number may begin a date or a list.
  if (loneLetter(own, choices) !== undefined || (!whole && !/\p{L}/u.test(own))) return undefined;
  return letter;
}
