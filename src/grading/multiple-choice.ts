import { Choices } from './choices.js';
import { type AnswerForms, languagesOf } from './extraction/answer-forms.js';
import { isEnclosing } from './extraction/marked-answer.js';
import { findMarkers, type Marker } from './extraction/markers.js';
import { joinBoxes } from './extraction/numeric-answer.js';
import { plainCharacters } from './extraction/plain-characters.js';
import { searchedText } from './extraction/reply-text.js';
import { firstStatement } from './extraction/statement.js';
import { type Grade, quote } from './grade.js';
import {
  type LetterStatement,
  listedLetters,
  plainLetters,
  readLetterStatement,
} from './letter-statement.js';
import { readUnmarked } from './unmarked-letter.js';

/** A multiple-choice grade, with the data of a confusion matrix. */
export interface MultipleChoiceGrade extends Grade {
  /** The letter that the reply names; `null` where it names none, or several. */
  letter: string | null;
  /** The right letter; `null` where the target is none of the choices. */
  targetLetter: string | null;
}

/**
 * Grades a reply to a multiple-choice question. Only letters that were offered count, and the last explicit answer
 * takes precedence. A reply that names no letter is wrong.
 * @param target a letter (`B`, `(b)`), the text of a choice, or its position from 0.
 * @param choices the choice texts in the order of their letters; where there are none, A to J are taken as offered.
 */
export function gradeMultipleChoice(
  output: string,
  target: string,
  choices: readonly string[],
): MultipleChoiceGrade {
  const offered = new Choices(choices, target);
  const targetLetter = offered.readTarget(target) ?? null;
  const found = findLetter(plainCharacters(searchedText(output)), offered);
  const letter = found.kind === 'letter' ? found.letter : null;
  const correct = letter !== null && letter === targetLetter;
  const grade = { correct, extracted: letter, letter, targetLetter };
  if (targetLetter === null)
    return { ...grade, message: `The target ${quote(target)} is none of the choices.` };
  if (found.kind === 'letter')
    return { ...grade, message: correct ? `${letter} is right.` : `${letter} is not ${targetLetter}.` };
  return { ...grade, message: whyNone(found, offered) };
}

/** A result without a single letter; `said` is the content of the last marker. */
type Unsettled = Exclude<LetterStatement, { kind: 'letter' }> & { said?: string };

function whyNone(found: Unsettled, { count }: Choices): string {
  if (found.kind === 'unclear') {
    const names = found.letters.length > 1 ? `: it names ${found.letters.sort().join(' and ')}` : '';
    return `The reply does not settle on one letter${names}.`;
  }
  if (found.notOffered) {
    const last = String.fromCharCode(0x40 + count);
    return `The reply names ${found.notOffered}, which is not offered: the letters are A to ${last}.`;
  }
  return found.said ? `${quote(found.said)} is none of the choices.` : 'The reply names no offered letter.';
}

function findLetter(text: string, choices: Choices): LetterStatement & { said?: string } {
  let unread: Unsettled | undefined;
  const markers = findMarkers(text);
  const last = joinBoxes(text, markers).at(-1);
  const boxed = last?.kind === 'boxed' ? listedLetters(plainLetters(last.content), choices) : undefined;
  if (boxed) return { kind: 'unclear', letters: boxed };
  for (const marker of markers.toReversed()) {
    const said = statementOf(marker);
    const statement = readLetterStatement(said, choices, marker.languages ?? languagesWithin(marker));
    if (statement.kind !== 'none') return statement;
    unread ??= said.trim() === '' ? undefined : { ...statement, said };
    // The content of answer tags is final; other markers without a letter are skipped.
    if (marker.kind !== 'tag' || marker.content.trim() === '') continue;
    const letters = listedLetters(marker.content, choices);
    return letters ? { kind: 'unclear', letters } : { ...statement, said };
  }
  const found = readUnmarked(text, choices);
  return found.kind === 'none' ? (unread ?? found) : found;
}

function statementOf(marker: Marker): string {
  return isEnclosing(marker) ? marker.content : firstStatement(marker.content);
}

/** Returns the languages of a tag's or box's content: `\boxed{\text{Antwort: B}}`. */
function languagesWithin(marker: Marker): AnswerForms[] {
  return isEnclosing(marker) ? languagesOf(marker.content) : [];
}
