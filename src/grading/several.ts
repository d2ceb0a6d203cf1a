import { Choices, LETTERS } from './choices.js';
import { findMarkers } from './extraction/markers.js';
import { plainCharacters } from './extraction/plain-characters.js';
import { searchedText } from './extraction/reply-text.js';
import { firstStatement } from './extraction/statement.js';
import { type Grade, GradingLimitError, quote } from './grade.js';
import { listedLetters, plainLetters } from './letter-statement.js';
import { gradeMultipleChoice, type MultipleChoiceGrade } from './multiple-choice.js';

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
  const named =
    lettersOf(plainCharacters(searchedText(output)), new Choices(choices, first)) ?? lettersOfOne(single);
  if (named === null) return { ...single, correct: false, targetLetter };
  const letter = named.join(', ');
  const correct = letter === targetLetter;
  return { correct, extracted: letter, letter, targetLetter, message: said(letter, targetLetter, correct) };
}

function said(letter: string, target: string, correct: boolean): string {
  return correct ? `${letter} is right.` : `${letter} is not ${target}.`;
}

function lettersOfOne({ letter }: MultipleChoiceGrade): string[] | null {
  return letter === null ? null : [letter];
}

/** Returns the letters that the last answer lists, in order; null for fewer than two. */
function lettersOf(text: string, choices: Choices): string[] | null {
  const marked = findMarkers(text)
    .toReversed()
    .map(({ kind, content }) => (kind === 'tag' || kind === 'boxed' ? content : firstStatement(content)))
    .find((content) => content.trim() !== '');
  if (marked !== undefined) return namedLetters(marked, choices);
  const lastLine = text.trim().split('\n').at(-1) ?? '';
  return namedLetters(text, choices) ?? namedLetters(lastLine, choices);
}

/** Words that add no meaning to a list of letters. */
const BESIDE =
  /(?:[\s,;:/&+()[\].-]|\b(?:and|therefore|thus|so|hence|the|correct|right|true|final|options?|choices?|letters?|statements?|answers?|is|are|both|all)\b)+/i;

/** Reads `A, C`, `(A) (C)`, `A and C`, `AC`, `A & C are correct`. */
function namedLetters(text: string, choices: Choices): string[] | null {
  const listed = listedLetters(plainLetters(text), choices);
  if (listed !== undefined) return listed.sort();
  const [first = '', ...others] = plainLetters(text)
    .split(BESIDE)
    .filter((word) => word !== '');
  const isTogether = others.length === 0 && /^[A-Z]{2,26}$/.test(first);
  const words = isTogether ? [...first] : [first, ...others];
  const letters = words.map((word) => (word.length === 1 ? choices.letter(word) : undefined));
  if (letters.some((letter) => letter === undefined)) return null;
  const named = new Set(letters as string[]);
  if (isTogether && named.size < words.length) return null;
  return named.size > 1 ? [...named].sort() : null;
}
