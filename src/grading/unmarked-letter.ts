import type { Choices } from './choices.js';
import {
  afterLetter,
  denials,
  isCapital,
  LETTER,
  languagesOf,
  languagesOfEnd,
} from './extraction/answer-forms.js';
import {
  afterOwnText,
  type LetterStatement,
  LONGEST_TEXT,
  listedLetters,
  loneLetter,
  offeredLetter,
  otherLetter,
  plainLetters,
  readLetterStatement,
} from './letter-statement.js';
import { assertedChoice, choiceAtStart, RETRACTS, statedChoices } from './stated-choice.js';

/** Maximum length of a last line that may state a conclusion. */
const LONGEST_LINE = 400;

/**
 * Reads a reply without an answer marker: the whole reply or its first line is a letter or a choice, its last line is a
 * separate letter or states a conclusion, or its first line states one.
 */
export function readUnmarked(text: string, choices: Choices): LetterStatement {
  const lists = listsOptions(text);
  const letter =
    (lists
      ? fromConclusion(text, choices)
      : (fromWholeReply(text, choices) ?? fromLastLine(text, choices))) ??
    fromLabel(text, choices) ??
    fromStatement(lastLine(text).slice(-LONGEST_TEXT), choices) ??
    (lists ? (besideList(text, choices) ?? fromVerdicts(text, choices)) : null) ??
    choiceAtStart(text, choices) ??
    (RETRACTS.test(text) ? null : fromStatement(firstLine(text).slice(0, LONGEST_TEXT), choices));
  if (typeof letter === 'string') return { kind: 'letter', letter };
  const letters =
    letter ?? listedLetters(plainLetters(text), choices) ?? listedLetters(lastLine(text), choices);
  if (letters) return { kind: 'unclear', letters };
  const lone = plainLetters(text);
  return /^\(?[A-Z]\)?[.:]?$/.test(lone)
    ? { kind: 'none', notOffered: lone.replace(/[^A-Z]/g, '') }
    : { kind: 'none' };
}

/** A letter, several of them, or `null` where there is none. */
type Found = string | string[] | null;

/** Reads a reply that is a letter or a choice, or whose first line is a letter, alone or with its text. */
function fromWholeReply(text: string, choices: Choices): string | null {
  const plain = plainLetters(text);
  const [line = ''] = plain.split('\n');
  // Where a choice's text is itself a letter (a blood group, a variable), the letter as a name takes precedence.
  return (
    loneLetter(plain, choices) ??
    choices.byText(text) ??
    choices.byText(plain) ??
    choices.byText(plain.replace(/[!]$/, '')) ??
    bareChoice(plain, choices) ??
    bareChoice(line, choices)
  );
}

const OPTION = 'option|choice|answer|(?:the )?(?:final|correct) (?:option|choice|answer)';
const BARE = new RegExp(String.raw`^(?:(?:${OPTION})\s+)?(?:[([] ?)?(${LETTER})(?: ?[)\]])?[.:!]?$`, 'iu');
const LETTERED = new RegExp(
  String.raw`^(?:(?:${OPTION})\s+)?[([]?(${LETTER})(?:[)\]][.:]?|[.:])?\s+(\S[\s\S]*)$`,
  'iu',
);

/** Reads `C`, `(C)`, `C.`, `Option C`, `C) text of C`, `C입니다.`. */
function bareChoice(line: string, choices: Choices): string | null {
  const text = line.trim();
  const match = BARE.exec(text);
  if (match?.[1]) return offeredLetter(match[1], choices) ?? null;
  const [, written = '', content = ''] = LETTERED.exec(text) ?? [];
  const letter = written && offeredLetter(written, choices);
  // In `B – slate` the dash is no sign.
  const isOwn =
    letter && [content, content.replace(/^[-–—]\s+/, '')].some((one) => choices.startsWith(letter, one));
  if (isOwn) return otherLetter(letter, content, choices) === undefined ? letter : null;
  // `A: B` is an answer in a dialogue.
  const [, said] = /^A: ([A-Z])\.?$/.exec(text) ?? [];
  if (said !== undefined) return offeredLetter(said, choices) ?? null;
  return text.length <= LONGEST_LINE ? inOtherLanguages(text, choices) : null;
}

const WITH_ENDING = new RegExp(String.raw`^\(?(${LETTER})\)?(\s?[^\s.][\s\S]{0,20})$`, 'u');

/** Reads an option in other languages, with nothing else in the line: `选项C`, `Opción C`, `C입니다.`. */
function inOtherLanguages(text: string, choices: Choices): string | null {
  const rest = WITH_ENDING.exec(text);
  if (rest?.[1] && isCapital(rest[1]) && afterLetter().some((after) => isAll(after, rest[2] ?? '')))
    return offeredLetter(rest[1], choices) ?? null;
  for (const { option } of languagesOf(text)) {
    const [match] = option ? text.matchAll(option) : [];
    if (match?.index !== 0 || !isCapital(match[1] ?? '')) continue;
    const letter = offeredLetter(match[1] ?? '', choices);
    const content = text.slice(match[0].length).replace(/^[.:)\s]+/, '');
    if (letter && (content === '' || choices.startsWith(letter, content))) return letter;
  }
  return null;
}

const isAll = (pattern: RegExp, text: string) => /^[.!\s]*$/.test(text.replace(pattern, ''));

/** Line that begins with an option, `- **B) slate** splits`, or judges one, `B ✅`. */
const OPTION_LINE = /^[ \t*>-]*\(?([A-Za-z])(?:[).:]\*{0,2}[ \t]+\S|[).:*]{0,3}[ \t]?[✅✔✓☑❌✖✗✘])/u;

const optionOf = (line: string) => OPTION_LINE.exec(line)?.[1]?.toUpperCase();

/** Reports whether a reply lists several options by letter: then no line of the list is its answer. */
function listsOptions(text: string): boolean {
  return new Set(text.split('\n').flatMap((line) => optionOf(line) ?? [])).size > 1;
}

/** Line with a label before its choice: `Selected option: B`, `Sentiment: positive`. */
const LABELLED =
  /^(?:(?:so|thus|therefore|hence|the|my|your|final|selected|chosen|predicted|overall),? ){0,4}(?:option|choice|selected|correct|selection|decision|verdict|response|result|output|prediction|guess|conclusion|judge?ment|pick|label|category|class|classification|topic|stance|intent|emotion|sentiment|relation(?:ship)?|final) ?[:=] ?(\S.{0,400})$/i;

/** Reads a labelled choice in the first line or one of the last two; no other line may name another choice so. */
function fromLabel(text: string, choices: Choices): Found {
  const labelled = text
    .split('\n')
    .map(plainLetters)
    .filter((line) => line !== '')
    .map((line) => {
      const said = LABELLED.exec(line)?.[1] ?? '';
      return said === '' ? null : (bareChoice(said, choices) ?? choices.byText(said) ?? null);
    });
  const found = [...new Set(labelled.filter((letter) => letter !== null))];
  const isPlaced = [labelled[0], ...labelled.slice(-2)].some((letter) => typeof letter === 'string');
  if (!isPlaced || found.length === 0) return null;
  return found.length === 1 ? (found[0] ?? null) : found;
}

/** Reads a letter before a list of options, or after it, where it is no part of the list. */
function besideList(text: string, choices: Choices): Found {
  const lines = text.trim().split('\n');
  const found = [beforeList(lines, choices), afterList(lines, choices)].filter((letter) => letter !== null);
  const [letter = null] = found;
  return new Set(found).size > 1 ? found : letter;
}

/** Reads a line that is a choice, without a predicate: `B. slate`, but not `B. slate is too soft`. */
function choiceAlone(line: string, choices: Choices): string | null {
  const plain = plainLetters(line);
  const letter = bareChoice(plain, choices);
  const rest = letter && afterOwnText(letter, plain.replace(/^[([]?[A-Z]/i, ''), choices);
  return /^\s*(?:[.,;:!(–—-]|$)/.test(rest ?? '') ? letter : null;
}

/** First words of a line that leads from an answer to why the others are wrong. */
const WHY =
  /^(?:brief |detailed )?(?:explanations?|reason(?:s|ing)?|rationale|justification|analysis|(?:here['’]s )?why|(?:the )?(?:others?|wrong|incorrect|remaining))\b/i;

/** Reads a first line that is a letter alone, that the list follows out of order, or that is explained below. */
function beforeList([line = '', ...rest]: string[], choices: Choices): string | null {
  const letter = choiceAlone(line, choices);
  if (letter === null || RETRACTS.test(rest.join('\n'))) return null;
  if (optionOf(line) === undefined) return letter;
  const next = rest.findIndex((other) => optionOf(other) !== undefined);
  // A list in order begins with A, and its next option comes later in the alphabet.
  const isApart = rest.slice(0, next).some((other) => other.trim() === '');
  if (isApart && (optionOf(rest[next] ?? '') ?? '') <= letter) return letter;
  // Where every option has its explanation, the first one is not the answer.
  return rest.filter(isReason).length === 1 && rest.slice(0, next).some(isReason) ? letter : null;
}

const isReason = (line: string) => /[:#*]/.test(line) && WHY.test(plainLetters(line));

/** Reads a last line, set apart, that is a letter alone, or an option of the list without being its continuation. */
function afterList(lines: string[], choices: Choices): string | null {
  const [before, line] = [lines.at(-2) ?? '', lines.at(-1) ?? ''];
  const letter = choiceAlone(line, choices);
  const listed = lines.slice(0, -1).filter((other) => optionOf(other) !== undefined);
  if (letter === null || before.trim() !== '' || !listed.some((other) => optionOf(other) === letter))
    return null;
  if (optionOf(line) === undefined) return letter;
  const last = listed.at(-1) ?? '';
  const continues = letter === 'A' || letter.charCodeAt(0) === (optionOf(last) ?? '').charCodeAt(0) + 1;
  return !continues || (isBold(line) && !isBold(last)) ? letter : null;
}

const isBold = (line: string) => /^[\s>-]*\*\*/.test(line);

/** Reads a line that states one choice by letter and text. */
function fromStatement(line: string, choices: Choices): Found {
  const letters = [...new Set([...statedChoices(line, choices), assertedChoice(line, choices)])].filter(
    (letter) => letter !== undefined,
  );
  const [letter = null] = letters;
  return letters.length > 1 ? letters : letter;
}

/** Reads a last line that is a bare letter, or states "(C) is correct". */
function fromLastLine(text: string, choices: Choices): Found {
  const line = text.trim().split('\n').at(-1) ?? '';
  // A lone letter may be the beginning of a word that a length limit cut, unless it is separate.
  const isSetApart = !/^\s*[A-Za-z]\s*$/.test(line) || /\n[ \t]*\n[ \t]*[A-Z][ \t]*$/.test(text.trimEnd());
  return (isSetApart ? bareChoice(lastLine(text), choices) : null) ?? fromConclusion(text, choices);
}

const firstLine = (text: string) => plainLetters(text.trim().split('\n')[0] ?? '');

const lastLine = (text: string) => plainLetters(text.trim().split('\n').at(-1) ?? '');

const VERDICT = new RegExp(
  String.raw`(?:^|[\s,;:])(?:(?:option|choice|answer|statement)\s+)?(?:only\s+)?\(?(${LETTER})(?:\)|(?=\s))\s+(?:(?:is|must be|would be|is therefore|is thus|(seems|appears|looks)(?:\s+to\s+be)?)\s+(?:indeed\s+)?(?:(?:the|my)\s+)?(?:(?:only|final)\s+)?(?:correct|right|best|answer|most (?:appropriate|likely|accurate|plausible|suitable))|(fits|matches|works|holds|satisfies|remains|is left|makes sense|is possible|is consistent|applies)\b)`,
  'gu',
);

/** A clause that another one opposes: `While A seems right,`, `A looks right at first, but`. */
const OPPOSED = /^\s?(?:while|although|though)\b|\b(?:but|yet|at first|initially)\b|[,.;] however\b/i;

/** What a line says of its option: `B. Correct`, `(C) wrong, it is soft`. */
const JUDGED =
  /^[\s.):–—-]{0,8}(?:is )?(?:(correct|right|true|yes)|incorrect|wrong|false|no)(?=\W*$|[.,;:!]|\s[(–—-]|\s(?:because|as|since)\b)/iu;

/** Reads a line for each option that judges it, of which one says that it is right. */
function fromVerdicts(text: string, choices: Choices): string | null {
  const judged = new Map<string, boolean>();
  for (const line of text.split('\n').map(plainLetters)) {
    const [begin = '', written = ''] = /^\(?([A-Z])(?![\p{L}\d])/u.exec(line) ?? [];
    const letter = written && offeredLetter(written, choices);
    if (!letter || JUDGED.test(choices.text(letter))) continue;
    const after = line.slice(begin.length);
    const verdict = JUDGED.exec(afterOwnText(letter, after, choices) ?? after);
    if (verdict) judged.set(letter, verdict[1] !== undefined);
  }
  const right = [...judged.keys()].filter((letter) => judged.get(letter));
  return judged.size === choices.count && right.length === 1 ? (right[0] ?? null) : null;
}

/** Words that introduce a letter at the end: `leaving C`, `I would go with C`, `so it is C`. */
const LEADS =
  /(?<![\p{L}\p{M}])(?:(?:therefore|thus|hence|so|consequently|accordingly|in conclusion|finally),?(?:\s+(?:it|that)(?:['’]s|\s+is|\s+must\s+be|\s+has\s+to\s+be))?|(?:it|that)(?:['’]s|\s+is|\s+must\s+be|\s+has\s+to\s+be)|this\s+is(?=\s+(?:option|choice|\())|(?:which\s+)?(?:leaves|leaving)(?:\s+(?:us|me))?(?:\s+only)?(?:\s+with)?(?:\s+(?:only|just))?|(?:I|we)(?:['’]ll|['’]d|\s+would|\s+will|\s+should)?\s+(?:go(?:ing)?\s+(?:with|for)|choose|pick|select|say|answer|opt\s+for|settle\s+on)|going\s+with|my\s+(?:final\s+)?(?:choice|pick|guess|answer|verdict|decision|selection)\s+is|(?:matches|corresponds\s+to|which\s+is|that\s+is)(?=\s+(?:(?:answer\s+)?(?:option|choice)|\())|(?:that|this|which|it)\s+(?:matches|corresponds\s+to)|the\s+(?:only\s+)?(?:correct|right|best)\s+one\s+is|(?:option|choice|statement|answer|one)\s+(?:that|which)\s+(?:is\s+(?:correct|right|true|best)|(?:best\s+)?(?:fits|matches)(?:\s+best)?)\s+is|selecting|choosing)[\s:]+(?:the\s+)?(?:answer\s+)?(?:option\s+|choice\s+|letter\s+)?(?=[(["'*]{0,3}[A-Z](?![\p{L}\p{M}\d]))/giu;

/** Reads a last line that states which choice is correct, or concludes with one. */
function fromConclusion(text: string, choices: Choices): Found {
  const line = lastLine(text);
  if (line.length > LONGEST_LINE || line.endsWith('?')) return null;
  const sentence = lastSentence(line);
  const letters = new Set<string>();
  if (!/\b(?:not|neither|cannot)\b|n['’]t\b/i.test(line)) {
    for (const match of line.matchAll(VERDICT)) {
      const [, written = '', seems, fits] = match;
      // "B fits" may be an intermediate step, while "only B fits" is none.
      if (fits && !/\bonly\b[^,.;]{0,30}$/i.test(line.slice(0, match.index + 8))) continue;
      const clause = (line.slice(0, match.index).split(/[,;.]/).at(-1) ?? '') + line.slice(match.index);
      if (seems && OPPOSED.test(clause)) continue;
      const letter = isCapital(written) ? offeredLetter(written, choices) : undefined;
      if (letter) letters.add(letter);
    }
    for (const letter of concluded(sentence, choices)) letters.add(letter);
  }
  if (letters.size === 0 && !/\bnot\b|n['’]t\b/i.test(line)) {
    for (const letter of fromOtherLanguages(line, sentence, choices)) letters.add(letter);
  }
  const [only] = letters;
  return only === undefined ? null : letters.size === 1 ? only : [...letters];
}

const lastSentence = (line: string) =>
  /(?:^|[.!?;]\s)([^.!?;]*(?:[.!?;](?!\s)[^.!?;]*)*[.!]?)$/.exec(line)?.[1] ?? line;

/** Words in a last sentence that does not conclude: `so (C) is also possible`. */
const OPEN =
  /\b(?:if|whether|unless|suppose|assum\w+|maybe|might|could|also|possible|a possibility|an? (?:likely|plausible|potential))\b/i;

function concluded(sentence: string, choices: Choices): string[] {
  if (OPEN.test(sentence)) return [];
  const last = [...sentence.matchAll(LEADS)].at(-1);
  const claim = last ? sentence.slice(last.index + last[0].length) : '';
  // The pattern's flag `i` also matches lower-case letters.
  if (!/^[(["'*]{0,3}[A-Z]/.test(claim)) return [];
  const said = readLetterStatement(claim, choices);
  return said.kind === 'letter' ? [said.letter] : said.kind === 'unclear' ? said.letters : [];
}

function fromOtherLanguages(line: string, sentence: string, choices: Choices): string[] {
  if (denials().some((denial) => denial.test(line))) return [];
  const written = languagesOfEnd(line).flatMap(({ verdict, conclusion, not, isJoined }) => {
    const verdicts = (verdict ? [...line.matchAll(verdict)] : []).filter((match) => {
      const before = line.slice(0, match.index);
      const clause = isJoined ? (before.split(/[,.;]/).at(-1) ?? '') + match[0] : line;
      return isNamed(match) && !not?.test(clause);
    });
    const end = conclusion?.exec(sentence);
    const isDenied = end && not?.test(sentence.slice(0, end.index + end[0].length));
    return [...verdicts.map((match) => match[3] ?? ''), end && !isDenied ? (end[1] ?? '') : ''];
  });
  return written
    .filter((one) => one !== '' && isCapital(one))
    .flatMap((one) => offeredLetter(one, choices) ?? []);
}

/** Reports whether a letter is a choice: a vowel may be an article or an "and", as in `A helyes válasz`. */
function isNamed([, option, bracket, letter = '', after, verb]: RegExpMatchArray): boolean {
  return !/^[AEIOUY]$/.test(letter) || Boolean(option || bracket || after || verb);
}
