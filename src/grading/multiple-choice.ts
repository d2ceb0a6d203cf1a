import { Choices } from './choices.js';
import { findMarkers, type Marker } from './extraction/markers.js';
import { searchedText } from './extraction/reply-text.js';
import { firstStatement } from './extraction/statement.js';
import { type Grade, quote } from './grade.js';
import { type LetterStatement, listsLetters, plainLetters, readLetterStatement } from './letter-statement.js';

/** A multiple-choice grade, with what a confusion matrix needs. */
export interface MultipleChoiceGrade extends Grade {
  /** The letter that the reply names; `null` where it names none, or several. */
  letter: string | null;
  /** The right letter; `null` where the target is none of the choices. */
  targetLetter: string | null;
}

/**
 * Grades a reply to a multiple-choice question. Only letters that were offered count, and the last explicit
 * answer wins. A reply that names no letter is wrong, not guessed.
 * @param target a letter (`B`, `(b)`), the text of a choice, or its position from 0.
 * @param choices the choice texts in the order they are lettered; where there are none, A to J are taken as offered.
 */
export function gradeMultipleChoice(
  output: string,
  target: string,
  choices: readonly string[],
): MultipleChoiceGrade {
  const offered = new Choices(choices, target);
  const targetLetter = offered.readTarget(target) ?? null;
  const text = searchedText(output);
  const found = findLetter(text, offered);
  const letter = typeof found === 'object' ? found.letter : null;
  const correct = letter !== null && letter === targetLetter;
  const grade = { correct, extracted: letter, letter, targetLetter };
  if (targetLetter === null)
    return { ...grade, message: `The target ${quote(target)} is none of the choices.` };
  if (found === 'unclear') return { ...grade, message: 'The reply does not settle on one letter.' };
  if (letter === null) return { ...grade, message: 'The reply names no offered letter.' };
  return { ...grade, message: correct ? `${letter} is right.` : `${letter} is not ${targetLetter}.` };
}

function findLetter(text: string, choices: Choices): LetterStatement {
  for (const marker of findMarkers(text).toReversed()) {
    const statement = readLetterStatement(statementOf(marker), choices);
    if (statement !== 'none') return statement;
    // What is inside answer tags is final; elsewhere words without a letter are passed over.
    if (marker.kind !== 'tag' || marker.content.trim() === '') continue;
    return listsLetters(marker.content, choices) ? 'unclear' : 'none';
  }
  const letter = listsOptions(text)
    ? fromVerdict(text, choices)
    : (fromWholeReply(text, choices) ?? fromLastLine(text, choices));
  if (letter !== null) return { letter };
  return [text, lastLine(text)].some((one) => listsLetters(plainLetters(one), choices)) ? 'unclear' : 'none';
}

function statementOf(marker: Marker): string {
  return marker.kind === 'tag' || marker.kind === 'boxed' ? marker.content : firstStatement(marker.content);
}

/** A reply that is a letter or a choice, or whose first line is a letter, alone or with its text. */
function fromWholeReply(text: string, choices: Choices): string | null {
  const plain = plainLetters(text);
  const [line = ''] = plain.split('\n');
  // A choice that is itself a letter (a blood group, a variable) is ambiguous: the letter as a name comes first.
  return (
    choices.loneLetter(plain) ??
    choices.byText(text) ??
    choices.byText(plain) ??
    bareChoice(plain, choices) ??
    bareChoice(line, choices)
  );
}

/** `C`, `(C)`, `C.`, `Option C`, `C) text of C`. */
function bareChoice(line: string, choices: Choices): string | null {
  const text = line.trim();
  const match = /^(?:(?:option|choice)\s+)?[([]?([A-Za-z])[)\]]?[.:]?$/i.exec(text);
  if (match?.[1]) return choices.letter(match[1]) ?? null;
  const lettered = /^(?:(?:option|choice)\s+)?[([]?([A-Za-z])(?:[)\]][.:]?|[.:])?\s+(\S[\s\S]*)$/i.exec(text);
  const letter = lettered?.[1] && choices.letter(lettered[1]);
  return letter && choices.startsWith(letter, lettered?.[2] ?? '') ? letter : null;
}

/** Whether a reply lists several options by letter: then no line of the list is its answer. */
function listsOptions(text: string): boolean {
  const letters = [...text.matchAll(/^[ \t*>-]*\(?([A-Za-z])[).:]\*{0,2}[ \t]+\S/gm)].map((match) =>
    match[1]?.toUpperCase(),
  );
  return new Set(letters).size > 1;
}

const VERDICT =
  /(?:^|[\s,;:])(?:(?:option|choice|answer|statement)\s+)?(\()?([A-Z])(?:\)|(?=\s))\s+(?:is|must be|would be|seems)\s+(?:indeed\s+)?(?:the\s+)?(?:correct|right|best|answer|most (?:appropriate|likely|accurate))\b/g;

/** A last line that is a bare letter, or says "(C) is correct". */
function fromLastLine(text: string, choices: Choices): string | null {
  const line = text.trim().split('\n').at(-1) ?? '';
  // A lone letter may be all that a length limit left of a word, unless it is set apart.
  const isSetApart = !/^\s*[A-Za-z]\s*$/.test(line) || /\n[ \t]*\n[ \t]*[A-Z][ \t]*$/.test(text.trimEnd());
  return (isSetApart ? bareChoice(lastLine(text), choices) : null) ?? fromVerdict(text, choices);
}

const lastLine = (text: string) => plainLetters(text.trim().split('\n').at(-1) ?? '');

function fromVerdict(text: string, choices: Choices): string | null {
  const line = lastLine(text);
  if (line.length > 400 || /\b(?:not|n't|neither)\b/i.test(line)) return null;
  const letters = new Set<string>();
  for (const match of line.matchAll(VERDICT)) {
    const letter = choices.letter(match[2] ?? '');
    if (letter) letters.add(letter);
  }
  const [only] = letters;
  return letters.size === 1 && only !== undefined ? only : null;
}
