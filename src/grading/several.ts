import { Choices, LETTERS } from './choices.js';
import { type AnswerForms, isCapital, JOINTS, LETTER } from './extraction/answer-forms.js';
import { isEnclosing } from './extraction/marked-answer.js';
import { findMarkers, type Marker } from './extraction/markers.js';
import { joinBoxes } from './extraction/numeric-answer.js';
import { plainCharacters } from './extraction/plain-characters.js';
import { searchedText } from './extraction/reply-text.js';
import { firstSentence, firstStatement } from './extraction/statement.js';
import { type Grade, GradingLimitError, quote } from './grade.js';
import {
  afterOwnText,
  LONGEST_TEXT,
  listedLetters,
  offeredLetter,
  plainLetters,
  REASON,
} from './letter-statement.js';
import { gradeMultipleChoice, type MultipleChoiceGrade } from './multiple-choice.js';
import { RETRACTS } from './stated-choice.js';

/** A grade with the answer by which it was given. */
export interface GradeBy<One extends Grade> {
  target: string;
  grade: One;
}

/**
 * Combines the grades of a reply by each of several accepted answers (aliases, spellings, spans): the first right one.
 * The message for a wrong reply names none of the answers.
 */
export function rightByAny<One extends Grade>(grades: readonly GradeBy<One>[]): GradeBy<One> {
  const [first] = grades;
  if (first === undefined) throw new RangeError('there is no answer to grade by');
  const right = grades.find(({ grade }) => grade.correct);
  if (right !== undefined || grades.length === 1 || first.grade.extracted === null) return right ?? first;
  const message = `${quote(first.grade.extracted)} is none of the ${grades.length} accepted answers.`;
  return { ...first, grade: { ...first.grade, message } };
}

/**
 * Grades a reply by each of several accepted answers, up to the first right one.
 * @throws GradingLimitError where none is right and the comparison with one was ended.
 */
export async function gradeByAny<One extends Grade>(
  targets: readonly string[],
  gradeBy: (target: string) => Promise<One>,
): Promise<GradeBy<One>> {
  const grades: GradeBy<One>[] = [];
  let limit: GradingLimitError | undefined;
  for (const target of targets) {
    try {
      const grade = await gradeBy(target);
      if (grade.correct) return { target, grade };
      grades.push({ target, grade });
    } catch (error) {
      if (!(error instanceof GradingLimitError)) throw error;
      limit ??= error;
    }
  }
  if (limit !== undefined) throw limit;
  return rightByAny(grades);
}

/**
 * Grades a reply where several choices are right.
 * @param right positions of the right choices, from 0.
 * @param match `any`: a single one of their letters is right. `all`: the reply has to name all of them, as `A and C`,
 * `A, C` or `AC`, and no other.
 */
export function gradeSeveralChoices(
  output: string,
  right: readonly number[],
  choices: readonly string[],
  match: 'any' | 'all',
): MultipleChoiceGrade {
  const letters = right.map((position) => LETTERS[position] ?? '').sort();
  const targetLetter = letters.join(match === 'all' ? ', ' : ' or ');
  const [first = ''] = letters;
  const single = gradeMultipleChoice(output, first, choices);
  if (match === 'any') {
    const { letter } = single;
    if (letter === null) return { ...single, targetLetter };
    const correct = letters.includes(letter);
    return { ...single, correct, targetLetter, message: said(letter, targetLetter, correct) };
  }
  const [text, offered] = [plainCharacters(searchedText(output)), new Choices(choices, first)];
  const one = single.letter === null ? null : [single.letter];
  const named = lettersOf(text, offered) ?? one ?? fromFirstParagraph(text, offered);
  if (named === null) return { ...single, correct: false, targetLetter };
  if (named.length === 0) {
    const message = 'The reply does not settle on its letters.';
    return { correct: false, extracted: null, letter: null, targetLetter, message };
  }
  const letter = named.join(', ');
  const correct = letter === targetLetter;
  return { correct, extracted: letter, letter, targetLetter, message: said(letter, targetLetter, correct) };
}

function said(letter: string, target: string, correct: boolean): string {
  return correct ? `${letter} is right.` : `${letter} is not ${target}.`;
}

/** Returns the letters that the last answer lists, in order; none where that is unclear, null for fewer than two. */
function lettersOf(text: string, choices: Choices): string[] | null {
  const markers = joinBoxes(text, findMarkers(text));
  const marker = markers.findLast(({ content }) => firstStatement(content) !== '');
  if (marker === undefined)
    return fromText(text, choices) ?? namedLetters(text.trim().split('\n').at(-1) ?? '', choices);
  if (isEnclosing(marker)) return namedLetters(joinedTags(text, markers, marker, choices), choices);
  const after = text.slice(marker.end - marker.content.length);
  return fromLines(after, choices, marker) ?? namedLetters(firstStatement(marker.content), choices, marker);
}

/** Returns the content of a tag or box; of tags in a row with an option each, `<answer>A</answer><answer>C</answer>`, all. */
function joinedTags(text: string, markers: readonly Marker[], last: Marker, choices: Choices): string {
  const isOption = ({ content }: Marker) => readOption(plainLetters(content), choices)?.rest === '';
  let [content, { start }] = [last.content, last];
  for (const marker of markers.slice(0, markers.indexOf(last)).reverse()) {
    const between = text.slice(marker.end, start);
    if (!isOption(last) || !isOption(marker) || !/^<\/\w{1,20}>(?:[\s,;&]|and)*$/.test(between)) break;
    [content, start] = [`${marker.content}, ${content}`, marker.start];
  }
  return content;
}

/** Words after an option of a list that judge it. */
const JUDGES = /\b(?:not|no|incorrect|wrong|false)\b|n['’]t\b|[❌✖✗✘]/iu;

/** Returns the letters with which a reply without an answer marker begins, in a paragraph of their own. */
function fromFirstParagraph(text: string, choices: Choices): string[] | null {
  if (findMarkers(text).length > 0 || RETRACTS.test(text)) return null;
  return fromText(text.trim().split(/\n[ \t]*\n/, 1)[0] ?? '', choices);
}

/** Reads a text that names several letters; one that lists all options in lines repeats the question. */
function fromText(text: string, choices: Choices): string[] | null {
  const letters = namedLetters(text, choices);
  return letters?.length === choices.count && text.trim().includes('\n') ? null : letters;
}

/** Reads the lines after a heading that begin with an option each, up to one that does not: `- A. text`. */
function fromLines(after: string, choices: Choices, { languages = [] }: Marker): string[] | null {
  const lines = after.split('\n').map(plainLetters);
  const isBelow = (lines[0] ?? '').replace(/^[\s:*_]+/, '') === '';
  const letters = new Set<string>();
  const isText = (line: string) => choices.byText(line) !== undefined;
  let isApart = false;
  for (const line of lines) {
    isApart ||= line === '' && letters.size > 0;
    if (line === '') continue;
    const option = readOption(line, choices);
    // Below an answer in the line of its heading, and after a blank line, stands what explains it.
    if (!option || (option.rest !== '' && (isApart || !isBelow)) || (isApart && !isBelow)) break;
    if (isText(line) !== isText(lines.find((one) => one !== '') ?? '')) break;
    if (
      JUDGES.test(option.rest) ||
      languages.some((one) => one.not?.test(option.rest) || one.notAfter?.test(option.rest))
    )
      return [];
    letters.add(option.letter);
  }
  return letters.size > 1 ? [...letters].sort() : null;
}

const OPTION = new RegExp(`^[([]?(${LETTER})`, 'u');

/** Reads a line that is a letter, or begins with a letter and its text. */
function readOption(line: string, choices: Choices): { letter: string; rest: string } | undefined {
  const [begin = '', written = ''] = OPTION.exec(line) ?? [];
  const letter = isCapital(written) ? offeredLetter(written, choices) : undefined;
  if (!letter) {
    const own = choices.byText(line);
    return own === undefined ? undefined : { letter: own, rest: '' };
  }
  const after = line.slice(begin.length);
  const rest = /^[\s.:)\]]*$/.test(after) ? '' : afterOwnText(letter, after, choices);
  return rest === undefined ? undefined : { letter, rest: rest.replace(/^[\s.,;)\]]+/, '') };
}

/** Words that add no meaning to a list of letters. */
const BESIDE =
  /(?:[\s,;:/&+()[\].-]|\b(?:and|therefore|thus|so|hence|the|correct|right|true|final|options?|choices?|letters?|statements?|answers?|is|are|both|all|only|just|plus|also|as well as)\b)+/i;

/** Words for "or", of those in `JOINTS`: such a list names no set. */
const OR =
  /(?<![\p{L}\p{M}])(?:[Oo]r|OR|oder|ou|o|или|и\/или|або|veya|hoặc|lub|albo|of|eller|tai|nebo|alebo|sau|vagy|ή|atau|au|tàbí|أو|या|বা)(?![\p{L}\p{M}])|或|または|또는|หรือ/u;

/** Pattern of a further option as `withoutTexts` writes it. */
const FURTHER = new RegExp(String.raw`(?:[,;/&+]|(?<![\p{L}\p{M}])${JOINTS})\s?\(?\[[A-Z]\]`, 'u');

/** Pattern of letters in a row, as `withoutTexts` writes them or alone. */
const LIST = String.raw`\[?[A-Z]\]?(?:(?:\s?,\s?(?:and\s)?|\sand\s)\[?[A-Z]\]?(?![\p{L}])){0,9}`;

/** What follows the letters that are named: others that are denied, `, not B`, `, B and D are wrong`. */
const OTHERS = new RegExp(
  String.raw`[,;]?\s(?:(?:but|while|whereas|and)\s)?(?:(?<!\b(?:is|are|was|were)\s)(?:not|rather than|instead of)\s(?:the\s)?(?:options?\s|choices?\s)?${LIST}(?![\p{L}]|\sbut\b)|(?<=[,;]\s|\b(?:but|while|whereas)\s)${LIST}\s(?:is|are)\s(?:not|wrong|incorrect|false)\b)`,
  'u',
);

/** Brackets that explain the letters before them: `(both igneous)`, `(not B or D)`; not `(or D)`. */
const EXPLAINS = /\((?!(?:or|and|plus|also)\b|[A-Z] too\b)(?=[^()\n]{0,200}\p{Ll}{2})[^()\n]{1,200}\)/gu;

/** An option of a list with its verdict: `B (incorrect)`. */
const DENIED = /[([]?[A-Z][)\]]? \((?:incorrect|wrong|false|no|not (?:correct|right|true))\)/g;

/** What leads to more letters behind a reason: `, which is hard, and C`, `and C because it is`. */
const GOES_ON =
  /^,? (?:which|[-–—]) .*(?:,|and|or|&) ?[([]?[A-Z](?![\p{L}])|(?:,|and|or|&) ?[([]?([A-Z])[)\]]?,? (?:because|since|as(?! well)|due to)\b/u;

/** Words for all of the choices. */
const ALL =
  /^(?:all (?:(?:of )?(?:the |these |those )?(?:(?:above|given|listed|answer) |(\w+) )?(?:above|options|choices|statements|answers)|of (?:them|these|those))|everything above)(?: (?:is|are) (?:correct|right|true))?$/i;

/** Returns all letters for `all of the above`, `all four options`; none where a choice says so itself. */
function allLetters(claim: string, choices: Choices): string[] | null {
  const letters = [...LETTERS.slice(0, choices.count)];
  const [all, count] = ALL.exec(claim.toLowerCase()) ?? [];
  const counts = [undefined, `${letters.length}`, ['two', 'three', 'four', 'five'][letters.length - 2]];
  const isChoice = letters.some((letter) => /^$|\b(?:all|none)\b/i.test(choices.text(letter)));
  return all !== undefined && counts.includes(count) && !isChoice ? letters : null;
}

/** Reads letters before a reason, an explanation or a denial of others: `A and C because …`, `A, C (both …)`. */
function claimedLetters(
  sentence: string,
  choices: Choices,
  languages: readonly AnswerForms[],
): string[] | null {
  const kept = sentence.replace(DENIED, '');
  const said = kept.replaceAll('as well as', 'and').replace(EXPLAINS, ' ');
  const ends = [OTHERS, REASON, ...languages.flatMap(({ reason }) => reason ?? [])]
    .map((end) => said.search(end))
    .filter((end) => end > 0);
  const claim = said.slice(0, Math.min(said.length, ...ends)).trim();
  const [more, further = '?'] = GOES_ON.exec(said.slice(claim.length).replace(OTHERS, '')) ?? [];
  if (more !== undefined && !claim.includes(further)) return null;
  const letters = onlyLetters(claim, choices);
  if (letters === null || (letters.length < 2 && kept === sentence)) return allLetters(claim, choices);
  return OR.test(claim) ? [] : letters;
}

/**
 * Reads `A, C`, `(A) (C)`, `A and C`, `AC`, `A & C are correct`, `A. text and C. text`, and such a list in a sentence
 * that goes on.
 */
function namedLetters(
  text: string,
  choices: Choices,
  { languages = [] }: Partial<Marker> = {},
): string[] | null {
  if (text.length > LONGEST_TEXT) return null;
  const plain = plainLetters(text);
  const named = withoutTexts(plain, choices);
  const sentence = firstSentence(named);
  for (const said of [plain, named, sentence]) {
    const letters = onlyLetters(said, choices);
    if (letters !== null && letters.length > 1) return OR.test(said) ? [] : letters;
    if (letters !== null) return null;
  }
  const isOne = !sentence.includes('\n') && !RETRACTS.test(text);
  const claim = (said: string) => claimedLetters(said, choices, languages);
  const claimed = isOne ? (claim(sentence) ?? claim(firstSentence(withBareTexts(named, choices)))) : null;
  return claimed ?? (FURTHER.test(sentence) && !plain.includes('\n') ? [] : null);
}

const ANY_LETTER = new RegExp(LETTER, 'gu');

/** Writes `A. text`, `A (text)` and `A – text` as `[A]`, where the text is the letter's own. */
function withoutTexts(text: string, choices: Choices): string {
  let [result, end] = ['', 0];
  for (const { 0: written, index } of text.matchAll(ANY_LETTER)) {
    const letter = index >= end && isCapital(written) ? offeredLetter(written, choices) : undefined;
    const after = letter && afterOwnText(letter, text.slice(index + written.length), choices);
    if (letter === undefined || after === undefined) continue;
    result += `${text.slice(end, index)}[${letter}]`;
    end = text.length - after.length;
  }
  return result + text.slice(end);
}

/** Writes the texts of choices as `[A]`, also without their letters; unless one may be a letter, or two are equal. */
function withBareTexts(text: string, choices: Choices): string {
  const letters = [...LETTERS.slice(0, choices.count)];
  const texts = letters.map((letter) => plainLetters(choices.text(letter)).toLowerCase());
  if (texts.some((one) => one.length < 2 && !/\d/.test(one)) || new Set(texts).size < texts.length)
    return text;
  const escaped = texts.map((one) => one.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  const any = escaped.sort((one, other) => other.length - one.length).join('|');
  // `2.5` and `3 options` do not name the choices 2, 5 and 3.
  const begin = String.raw`(?<![\p{L}\p{M}\p{N}])(?<![.:/](?=\d))`;
  const end = String.raw`(?![\p{L}\p{M}\p{N}]|[.:/-]\d| (?:options|choices|statements|answers)\b)`;
  const bare = new RegExp(`${begin}(?:${any})${end}`, 'giu');
  return text.replace(bare, (own) => `[${letters[texts.indexOf(own.toLowerCase())]}]`);
}

function onlyLetters(text: string, choices: Choices): string[] | null {
  const listed = listedLetters(text, choices);
  if (listed !== undefined) return listed.sort();
  const [first = '', ...others] = text.split(BESIDE).filter((word) => word !== '');
  const isTogether = others.length === 0 && /^[A-Z]{2,26}$/.test(first);
  const words = isTogether ? [...first] : [first, ...others];
  const letters = words.map((word) => (word.length === 1 ? choices.letter(word) : undefined));
  if (letters.some((letter) => letter === undefined)) return null;
  const named = new Set(letters as string[]);
  return isTogether && named.size < words.length ? null : [...named].sort();
}
