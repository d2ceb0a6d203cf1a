import { compareQuickly } from '../compare-quickly.js';
import { findExpressions } from './expressions-in-prose.js';
import { isEnclosing } from './marked-answer.js';
import type { Marker } from './markers.js';
import type { NumericAnswer } from './numeric-answer.js';

/** Characters after a marked answer in which another may take its place. */
const LONGEST_CORRECTION = 600;

/** Beginning of the text after an answer that takes it back. */
const RETRACTS =
  /^(?:<\/[a-z_-]{1,20}>)?[\s*_.$)\]}\\,;!—–-]{0,12}(?:(?:hmm+|oh|but|no)\b[,.…\s—–-]{0,4}){0,2}(?:hmm+|wait|actually|correction|edit|oops|whoops|hold on|scratch that|on second thoughts?|(?:sorry|no)(?=[,.:;!—–-])|(?:that|this|it)(?:['’]s| is| was) (?:wrong|incorrect|not right|not correct|a mistake))\b/i;

/** Sentence that an answer is not right. */
const DENIES =
  /\b(?:that|this|it)(?:['’]s| is| was) (?:wrong|incorrect|not right|not correct|a mistake)\b|\b(?:that|this|it) (?:isn['’]t|can['’]t be|cannot be) (?:right|correct)\b/i;

/** End of a text before a value that replaces another: "it should be", "Correction:". */
const REPLACES =
  /(?:\b(?:it|that|this|answer|total|result|value|sum|number)(?:['’]s| is| should be| must be| would be| will be| equals)|\b(?:correction|edit)\s?:)[\s*$\\({]{0,6}$/i;

/**
 * Returns the answer that a reply puts in the place of its last marked one, "The answer is 42. Wait, it should be 48.";
 * `null` where it only takes it back.
 */
export function correctionOf(text: string, marker: Marker, found: NumericAnswer): NumericAnswer | null {
  const from = isEnclosing(marker)
    ? marker.end
    : text.indexOf(found.statement, marker.end - marker.content.length);
  if (from < 0) return found;
  const end = isEnclosing(marker) ? from : from + found.statement.length;
  const tail = text.slice(end, end + LONGEST_CORRECTION);
  if (!RETRACTS.test(tail)) return found;
  const later = findExpressions(tail);
  const value = later.findLast(
    (one) =>
      !one.qualified &&
      REPLACES.test(tail.slice(Math.max(0, one.start - 40), one.start)) &&
      /^(?:\s\p{L}{1,20}){0,2}[ *_$)}\\]{0,4}(?:[.!,;\n]|$| (?:because|since|as|not)\b)/u.test(
        tail.slice(one.end, one.end + 60),
      ),
  );
  if (value) {
    const isKept = later.some(
      (one) => one.start > value.start && compareQuickly(one.text, found.answer) === true,
    );
    return isKept ? found : { answer: value.text, statement: value.text };
  }
  return DENIES.test(tail.slice(0, 60)) ? null : found;
}
