import { MAX_MARKERS } from '../bounds.js';
import { findMarkers, matchBraces } from './markers.js';

/** Names of fields with an answer, beside those that are headings: `best_answer`, `choice`, `answer_letter`. */
const NAMES =
  /^(?:(?:best|right|chosen|selected|predicted) )?(?:answer|option|choice)$|^(?:answer|option) (?:letter|option|choice)$/i;

/** Names of fields that hold the answer where no other does: `{"label": "positive", "confidence": 0.9}`. */
const OTHER_NAMES =
  /^(?:predicted[ _])?(?:letter|label|prediction|verdict|decision|class|classification|category|sentiment|result|response|output)$/i;

/** Maximum length of a field's name that is read. */
const LONGEST_NAME = 60;

/**
 * Rewrites a reply with a JSON object that has an answer in one of its fields, so that tags mark the answer:
 * `{"steps": […], "final_answer": "42"}` ends with `<answer>42</answer>`. The object is all of the reply, begins a line or
 * ends the reply. Other text is returned unchanged; `null` counts where nothing else is marked.
 */
export function withTaggedAnswer(text: string): string {
  const found = findObject(text);
  if (!found) return text;
  const { answer, start, end } = found;
  const [before, after] = [text.slice(0, start), text.slice(end)];
  if (answer === null && findMarkers(before + after).length > 0) return before + after;
  return `${before}<answer>${spelled(answer)}</answer>${after}`;
}

/** Returns the list in a reply's JSON as it is written, `["a", "b"]`, where it is the reply's answer, `a, b`; else none. */
export function listedAnswer(text: string, said: string | undefined): string[] {
  const answer = findObject(text)?.answer;
  if (!Array.isArray(answer) || spelled(answer) !== said) return [];
  return [`[${answer.map((one) => (/^-?\d[\d.]*$/.test(one) ? one : JSON.stringify(one))).join(', ')}]`];
}

type JsonAnswer = string | boolean | null | string[];

const spelled = (answer: JsonAnswer) => (Array.isArray(answer) ? answer.join(', ') : String(answer));

interface AnswerObject {
  answer: JsonAnswer;
  /** Its place in the text, with the fence around it. */
  start: number;
  end: number;
}

function findObject(text: string): AnswerObject | undefined {
  if (!/\{\s*"/.test(text)) return undefined;
  const trimmed = text.trimEnd();
  const fence = trimmed.endsWith('```') ? trimmed.lastIndexOf('```', trimmed.length - 4) : -1;
  const object = fence < 0 ? trimmed : trimmed.slice(fence, -3).replace(/^```\w*/, '');
  const answer = answerOf(object.trim());
  if (answer !== undefined) return { answer, start: Math.max(fence, 0), end: text.length };
  return objectInProse(text);
}

/** Finds the last object that begins a line or ends the text, in whose prose only a field named so is an answer. */
function objectInProse(text: string): AnswerObject | undefined {
  const objects = [...matchBraces(text)]
    .map(([start, close]) => ({ start, end: close + 1 }))
    .filter(({ start, end }) => {
      const isPlaced =
        /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, start - 40), start)) ||
        /^[\s.`]*$/.test(text.slice(end));
      return isPlaced && /^\{\s*"/.test(text.slice(start, start + 40));
    })
    .sort((one, other) => one.end - other.end);
  for (const { start, end } of objects.slice(-MAX_OBJECTS).reverse()) {
    const answer = answerOf(text.slice(start, end), false);
    if (answer !== undefined) return { answer, start, end };
  }
  return undefined;
}

/** Maximum of objects in prose that are read. */
const MAX_OBJECTS = 5;

function answerOf(object: string, others = true): JsonAnswer | undefined {
  if (!object.startsWith('{') || !object.endsWith('}')) return undefined;
  let fields: unknown;
  try {
    fields = JSON.parse(object.replace(PIECES, readable));
  } catch {
    return undefined;
  }
  const values = Object.entries(fields as object)
    .slice(-MAX_MARKERS)
    .filter(isAnswerField);
  const found = [isAnswer, (name: string) => others && OTHER_NAMES.test(name)]
    .map((isNamed) => values.filter(([name]) => isNamed(name)))
    .find((named) => named.length > 0);
  return (found?.findLast(([, value]) => value !== null) ?? found?.at(-1))?.[1];
}

/** Reports whether a field holds a text, a truth value, `null` or a list of texts; numbers are texts here. */
function isAnswerField(field: [string, unknown]): field is [string, JsonAnswer] {
  const [, value] = field;
  return (
    value === null ||
    /^(?:string|boolean)$/.test(typeof value) ||
    (Array.isArray(value) && value.every((one) => typeof one === 'string'))
  );
}

const PIECES = /"(?:[^"\\]|\\[\s\S])*"?|-?\d[\d.eE+-]*/g;

/** Keeps what `JSON.parse` would lose: the digits of numbers, and LaTeX whose backslashes are not doubled. */
function readable(piece: string): string {
  if (!piece.startsWith('"')) return `"${piece}"`;
  return piece.replace(/\\(?:["\\/n]|u[\da-fA-F]{4}|[rt](?![a-z]{2}))|\\/g, (code) =>
    code === '\\' ? '\\\\' : code,
  );
}

/** Reports whether the name of a field announces an answer, as a heading does: `final_answer`, `Antwort`. */
function isAnswer(name: string): boolean {
  if (name.length > LONGEST_NAME) return false;
  const words = name
    .replace(/[_-]/g, ' ')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .trim();
  return (
    NAMES.test(words) || findMarkers(`${words}:`).some(({ kind, inline }) => kind === 'heading' && !inline)
  );
}
