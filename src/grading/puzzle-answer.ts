import { withoutTrailing } from '../contracts/trailing.js';
import { extractMarkedAnswer } from './extraction/marked-answer.js';
import { plainCharacters } from './extraction/plain-characters.js';
import { searchedText, stripMarkdown } from './extraction/reply-text.js';

/** Pattern of the characters and commands of arithmetic expressions and equations. */
const ARITHMETIC =
  /(?:[\d+\-−–*×·⋅∗/÷∕^()[\]{}=.\s!?xX]|\\(?:times|cdot|ast|div|left|right|frac|dfrac|tfrac|,|;|!|\s))+/g;

/** Pattern of equals signs; programs write `==`. */
export const EQUALS = /==?/;

/** Maximum length of a puzzle's answer. */
const LONGEST_RUN = 400;

/** Arithmetic in a puzzle's answer. */
export interface FoundArithmetic {
  /** Expressions and equations, the last first. */
  candidates: string[];
  /** True if they come after an answer marker; otherwise they are from the whole reply. */
  marked: boolean;
}

/** Finds the expressions and equations after the last answer marker; without a marker, those of the whole reply. */
export function findArithmetic(reply: string): FoundArithmetic {
  const answer = extractMarkedAnswer(reply);
  const text = plainCharacters(answer ?? stripMarkdown(searchedText(reply)));
  const candidates = text
    .split('\n')
    .flatMap((line) => [...withoutMathMarks(line).matchAll(ARITHMETIC)].map(([run]) => trim(run)))
    .filter((run) => run.length <= LONGEST_RUN && /\d\D+\d/.test(run) && /[+\-−–*×·⋅∗/÷∕xX\\]/.test(run))
    .reverse();
  return { candidates, marked: answer !== null };
}

function withoutMathMarks(line: string): string {
  const plain = stripMarkdown(line).replace(/\\[()[\]]|[$`]/g, ' ');
  // Removes the first box up to the last brace, so that brackets within it stay together.
  const box = /\\boxed\s*\{/.exec(plain);
  const close = plain.lastIndexOf('}');
  if (box === null || close < box.index + box[0].length) return plain;
  return plain.slice(0, box.index) + plain.slice(box.index + box[0].length, close) + plain.slice(close + 1);
}

/** Removes parts of the sentence: punctuation, emphasis, unpaired brackets. */
function trim(run: string): string {
  if (run.length > LONGEST_RUN * 2) return '';
  let text = withoutTrailing(run.replace(/^[.!?\s=*×·⋅∗/÷∕+xX]+/, ''), /[.!?\s=*×·⋅∗/÷∕+xX]/);
  for (let previous = ''; previous !== text; ) {
    previous = text;
    if (count(text, '(') > count(text, ')') && text.endsWith('(')) text = text.slice(0, -1).trim();
    if (count(text, ')') > count(text, '(') && text.endsWith(')')) text = text.slice(0, -1).trim();
  }
  return withoutTrailing(text, /[.\s=]/);
}

const count = (text: string, character: string) => text.split(character).length - 1;
