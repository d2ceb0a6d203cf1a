import { saidIn } from '../../replies/read-reply.js';
import { LONGEST_REPLY } from '../bounds.js';
import { withTaggedAnswer } from './json-answer.js';
import { findMarkers, PLAIN } from './markers.js';

/** Returns the searched part of a reply: the end of the model's text in it, where an answer in JSON is in tags. */
export function searchedText(reply: string): string {
  const said = withTaggedAnswer(saidIn(reply));
  const text = said.length > LONGEST_REPLY ? said.slice(-LONGEST_REPLY) : said;
  // `\b` in a JSON string is a backspace; the model meant `\boxed`.
  const plain = text.replaceAll('\boxed', '\\boxed').replace(/\r\n?/g, '\n');
  return beforeNextQuestion(plain.replace(/【\d[^【】\n]{0,20}†[^【】\n]{0,60}】/g, ''));
}

/** Head of another question, as the examples of a prompt have it; one with a number may be a part of this one. */
const QUESTION = /\n[ \t]*\n[*_#> \t]{0,8}(?:question|problem|q|exercise)[*_]{0,3}:/i;

/** Sign that a reply works in several questions, on an example, or towards an answer: then its last one counts. */
const PARTS =
  /^[ \t*_#>\d.)-]{0,8}(?:sub-?)?(?:question|problem|q|exercise|follow.?up)\b|\b(?:similar|simpler|example|I think)\b/im;

/** A reply that is a short answer: `18`, `(B)`. */
const SHORT = /^\W{0,4}(?:[-$]?\d[\d,.]{0,20}|[A-J])\W{0,4}$/;

/** An answer of one word, or a name: `yes`, `New York`. */
const NAME = /^\W{0,9}(?:yes|no|true|false|\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*){0,3})\W{0,4}$/u;

/** Returns a text without the further questions that a model makes up, and answers, after its answer. */
function beforeNextQuestion(text: string): string {
  const { index } = QUESTION.exec(text) ?? {};
  const head = text.slice(0, index);
  if (index === undefined || PARTS.test(head)) return text;
  // A question that comes before the answer is this one.
  const { kind, end = 0, content = '' } = findMarkers(head).at(-1) ?? {};
  const [answer = ''] = content.trim().split('\n', 1);
  // "The answer must be A, B or C." is an instruction.
  const isPlain = PLAIN.test(answer) && !/, |\bor\b/.test(answer);
  const isAnswer = isPlain || (kind !== 'hashes' && NAME.test(answer));
  return SHORT.test(head) || (isAnswer && end > head.lastIndexOf('\n\n')) ? head : text;
}

const FENCE = /^```[a-zA-Z]*[ \t]*\n?|\n?```\s*$/g;

/**
 * Removes Markdown around a text: code fences, emphasis, backticks, quotation and list marks. A full stop after them
 * stays: `**Oslo**.` becomes `Oslo.`.
 */
export function stripMarkdown(text: string): string {
  let result = text.trim().replace(FENCE, '').trim();
  result = withoutEmphasis(
    result.replace(/^(?:>(?![\d=]|\s?[\])}>])\s?|[*•]\s+|-\s+(?=[a-zA-Z]{2})|#{1,6}\s+)+/, ''),
  );
  // Emphasis is nested a few times at most; further marks stay.
  for (let nested = 0; nested < 5; nested++) result = withoutEdges(result).trim();
  return result;
}

const OPENING = /^(?:\*{1,3}|_{1,3}(?!\{)|`+)(?=[^\s*_`])/;
const CLOSING = /(?<=\S)(?:\*{1,3}|(?<!\\)_{1,3}|`{1,3})(?=[.!?,;:。]{0,2}$)/;

/** Removes marks at both ends, or at one without a partner: `42**` is the end of `**Answer: 42**`. */
function withoutEdges(text: string): string {
  const [opening = ''] = OPENING.exec(text) ?? [];
  const { 0: closing = '', index: end = text.length } = CLOSING.exec(text) ?? {};
  const inner = text.slice(opening.length, end);
  const isPair = opening !== '' && opening[0] === closing[0];
  const opened = isPair || !inner.includes(opening[0] ?? ' ') ? opening.length : 0;
  const isOver = isPair || !inner.includes(closing[0] ?? ' ');
  return text.slice(opened, isOver ? end : undefined) + (isOver ? text.slice(end + closing.length) : '');
}

/** Removes `**` around words in a text. `2**3` and `2 ** 3` are powers and stay. */
function withoutEmphasis(text: string): string {
  return text
    .replace(/(?<![\w)*])\*\*(?=\S)((?:[^*\n]|\*(?!\*)){1,400}?)(?<=\S)\*\*(?![\w(*])/g, '$1')
    .replace(/(?<![\w)_\\])__(?=\S)([^_\n]{1,400}?)(?<=\S)__(?![\w(_])/g, '$1');
}
