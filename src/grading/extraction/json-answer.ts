import { MAX_MARKERS } from '../bounds.js';
import { findMarkers } from './markers.js';

/** Names of fields with an answer, beside those that are headings: `best_answer`, `choice`, `answer_letter`. */
const NAMES =
  /^(?:(?:best|right|chosen|selected|predicted) )?(?:answer|option|choice)$|^(?:answer|option) (?:letter|option|choice)$/i;

/** Names of fields that hold the answer where no other does: `{"label": "positive", "confidence": 0.9}`. */
const OTHER_NAMES =
  /^(?:predicted[ _])?(?:letter|label|prediction|verdict|decision|class|classification|category|sentiment|result|response|output)$/i;

/** Maximum length of a field's name that is read. */
const LONGEST_NAME = 60;

/**
 * Rewrites a reply that is a JSON object with an answer in one of its fields, alone or in a fence at its end, so that
 * tags mark the answer: `{"steps": […], "final_answer": "42"}` ends with `<answer>42</answer>`. Other text is returned
 * unchanged.
 */
export function withTaggedAnswer(text: string): string {
  const trimmed = text.trim();
  const fence = trimmed.endsWith('```') ? trimmed.lastIndexOf('```', trimmed.length - 4) : -1;
  const object = fence < 0 ? trimmed : trimmed.slice(fence, -3).replace(/^```\w*/, '');
  const answer = answerOf(object.trim());
  return answer === undefined ? text : `${trimmed.slice(0, Math.max(fence, 0))}<answer>${answer}</answer>`;
}

function answerOf(object: string): string | undefined {
  if (!object.startsWith('{') || !object.endsWith('}')) return undefined;
  let fields: unknown;
  try {
    fields = JSON.parse(object.replace(PIECES, readable));
  } catch {
    return undefined;
  }
  const texts = Object.entries(fields as object)
    .slice(-MAX_MARKERS)
    .filter(([, value]) => /^(?:string|boolean)$/.test(typeof value));
  const found =
    texts.findLast(([name]) => isAnswer(name)) ?? texts.findLast(([name]) => OTHER_NAMES.test(name));
  return found && String(found[1]);
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
