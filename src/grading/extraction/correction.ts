import { compareQuickly } from '../compare-quickly.js';
import { type FoundExpression, findExpressions } from './expressions-in-prose.js';
import { isEnclosing } from './marked-answer.js';
import type { Marker } from './markers.js';
import type { NumericAnswer } from './numeric-answer.js';

/** Characters after a marked answer in which another may take its place. */
const LONGEST_CORRECTION = 600;

/** Words after an answer with which a model looks at it again. */
const LOOKS_AGAIN =
  /^(?:[<[]\/[a-z_-]{1,20}[>\]])?[\s*_.$)\]}\\,;!—–-]{0,12}((?:(?:(?:oh|but),? )?(?:hmm+|wait|actually|correction|edit|oops|whoops|hold on|scratch that|on second thoughts?|(?:no|sorry)(?=[,.:;!—–-]| wait))\b[*,.…!:;\s—–-]{0,4}){0,3})/i;

/** Sentence or clause that an answer is not right. */
const DENIES =
  /^(?:but )?(?:that|this|it)(?:(?:['’]s| is| was) (?:wrong|incorrect|not right|not correct|a mistake)| (?:isn['’]t|can['’]t be|cannot be) (?:right|correct))(?=[.,;:!?…—\n]|$)/i;

/** End of a text before a value that replaces another: "it should be", "Correction:". */
const REPLACES =
  /\b(?:(?:it|that|answer) should (?:be|have been)|(?:it|answer|(?:correct|actual|real) \p{L}{1,12})(?:['’]s| is)|(?:correction|edit)\s?:)[\s*$\\({]{0,6}$/iu;

/** Text from the end of a value to the end of its clause. */
const CLAUSE_END = /^(?:\s\p{L}{1,20}){0,2}[ *_$)}\\]{0,4}(?:[.!,;\n]|$| (?:because|since|as|not)\b)/u;

/**
 * Returns the answer that a reply puts in the place of its last marked one, "The answer is 42. Wait, it should be 48.";
 * behind "that's wrong" the last number, or `null`.
 */
export function correctionOf(text: string, marker: Marker, found: NumericAnswer): NumericAnswer | null {
  const from = isEnclosing(marker)
    ? marker.end
    : text.indexOf(found.statement, marker.end - marker.content.length);
  if (from < 0) return found;
  const end = isEnclosing(marker) ? from : from + found.statement.length;
  const tail = text.slice(end, end + LONGEST_CORRECTION);
  const [whole = '', again = ''] = LOOKS_AGAIN.exec(tail) ?? [];
  const isDenied = DENIES.test(tail.slice(whole.length));
  if (again === '' && !isDenied) return found;
  const later = findExpressions(tail).filter((one) => !one.qualified);
  const isValue = ({ start, end }: FoundExpression) =>
    REPLACES.test(tail.slice(0, start)) && CLAUSE_END.test(tail.slice(end, end + 60));
  const value = isDenied ? later.at(-1) : later.findLast(isValue);
  if (!value) return isDenied ? null : found;
  const isKept = compareQuickly(later.at(-1)?.text ?? '', found.answer) === true;
  return isKept ? found : { answer: value.text, statement: value.text };
}
