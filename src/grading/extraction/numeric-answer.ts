import { withoutTrailing } from '../../contracts/trailing.js';
import { LONGEST_EXPRESSION } from '../bounds.js';
import { isSymbol } from '../mathematics/assignment.js';
import { type MathAnswer, readAnswer } from '../mathematics/structure.js';
import { type AnswerForms, CLAIMS as CLAIMS_ABROAD, JOINTS, languagesOf } from './answer-forms.js';
import { type FoundExpression, findExpressions } from './expressions-in-prose.js';
import { beforeGloss } from './gloss.js';
import { isEnclosing, markedText } from './marked-answer.js';
import { findMarkers, type Marker } from './markers.js';
import { apartFromWords, plainCharacters } from './plain-characters.js';
import { searchedText, stripMarkdown } from './reply-text.js';
import { firstSentence } from './statement.js';

/** A mathematical answer as it was found in a reply. */
export interface NumericAnswer {
  /** The number or expression. */
  answer: string;
  /** The statement that contains it: an answer in words, such as "odd $n$", is compared as a whole. */
  statement: string;
}

/** Characters at the end of a reply without a marker that are searched. */
const SEARCHED_END = 2_000;

/**
 * Finds the mathematical answer of a reply: after the last explicit marker; without one, the reply itself where it is
 * an expression, then its last line, then the last expression in its text.
 */
export function extractNumericAnswer(reply: string): NumericAnswer | null {
  const text = plainNumbers(searchedText(reply));
  const markers = joinBoxes(text, findMarkers(text));
  for (const marker of markers.toReversed()) {
    const found = fromMarker(marker, markers.length === 1);
    if (found) return withoutGlosses(found);
  }
  const found = withoutMarker(text);
  return found && (fromOption(found.answer) ?? withoutGlosses(found));
}

/**
 * Rewrites numbers in ASCII, with spaces between them and words: `４２`, `٤٢`, `42개`, `1’000`, `1 000` with a narrow
 * space, `Rs. 500`, `negative 5`. Calculations that GSM8K puts in its solutions, `2*9=$<<2*9=18>>18`, are removed.
 */
export function plainNumbers(text: string): string {
  const plain = plainCharacters(text.replace(/<<[\d.,+*/()$% -]{1,100}=[\d.,$% -]{1,40}>>/g, ''));
  return apartFromWords(plain.replace(/(?<=\d)['’\u00a0\u2009\u202f](?=\d{3}(?!\d))/g, ''))
    .replace(/(?<!\p{L})Rs\.?\s?(?=\d)/gu, '₹')
    .replace(/(?<![\p{L}\p{N}-])(?:negative|minus)\s(?=[$€£₹(\\]{0,3}\d)/giu, '-');
}

/** Joins boxes with a comma, "and" or "or" between them: `\boxed{1}` and `\boxed{2}`. */
export function joinBoxes(text: string, markers: Marker[]): Marker[] {
  const joined: Marker[] = [];
  for (const marker of markers) {
    const last = joined.at(-1);
    if (last?.kind === 'boxed' && marker.kind === 'boxed' && isJoint(text.slice(last.end, marker.start))) {
      joined[joined.length - 1] = { ...last, end: marker.end, content: `${last.content}, ${marker.content}` };
    } else joined.push(marker);
  }
  return joined;
}

function isJoint(between: string): boolean {
  const words = between.replace(/\\text|\\q?quad|\\[()[\]]|[{}$\s]/g, '');
  return between.length < 60 && /^(?:,|;|and|or|,and|,or|&)$/.test(words);
}

function fromMarker(marker: Marker, only: boolean): NumericAnswer | undefined {
  const { kind, languages = [] } = marker;
  const isEnclosed = isEnclosing(marker);
  const marked = markedText(marker);
  const option = fromOption(marked);
  if (option) return option;
  const beginsLine = /^[\s:*_]*\n/.test(marker.content);
  const statement = trimEnd(isEnclosed ? marked : firstSentence(marked, beginsLine));
  if (statement === '') return undefined;
  if (!isEnclosed && isDenied(statement, languages)) return undefined;
  const answer = withoutGloss(isEnclosed ? withoutLabel(statement) : withoutSentence(statement, marker));
  if (isMathematical(answer)) return { answer, statement };
  const lastLine = statement.slice(statement.lastIndexOf('\n') + 1).trim();
  if (isEnclosed && lastLine !== statement && isMathematical(lastLine))
    return { answer: lastLine, statement };
  // A heading of a Markdown section is not an answer.
  if (kind === 'hashes') return undefined;
  const reason = Math.min(...languages.map((one) => one.reason?.exec(statement)?.index ?? Infinity));
  const claim = reason > 0 && reason < Infinity ? trimEnd(statement.slice(0, reason)) : statement;
  const leading = claim.slice(0, claim.search(/\d/) + 1);
  const isBound = languages.some(({ bound }) => bound?.test(leading));
  const selected = isBound ? undefined : selectFromProse(withoutGloss(claim));
  if (selected !== undefined) return { answer: selected, statement };
  // "the answer is correct" and "check the answer: …" are not answers where there is a better marker.
  const isWeak = (kind === 'sentence' || marker.inline) && !only;
  return isWeak ? undefined : { answer: statement, statement };
}

/** Pattern of an option's letter before its value: `(C) 12`, `C) 12`, `\textbf{(C) } 12`; in `(A) \cup (B)` it is none. */
const OPTION =
  /^(?:\\(?:text|math)(?:bf|rm|sf)?\{ ?)?(?:\(([A-E])\)|([A-E])[.)])(?: ?\})?(?:\s|\\[ ,;:!]|~|\\q?quad\b){0,4}(?=[^\s}(\\+*/=^]|(?<=\s)\(|\\(?:[dt]?frac|sqrt|pi|\$))/;

/** Reads an option's letter and value; the letter may be the target, too. */
export function fromOption(text: string): NumericAnswer | undefined {
  const shown = trimEnd(text);
  const inner = /^(?:\$|\\[([])/.test(shown) ? shown.replace(/^\$+|^\\[([]|\$$|\\[)\]]$/g, '').trim() : shown;
  const match = OPTION.exec(inner);
  if (!match) return undefined;
  const answer = withoutGloss(trimEnd(firstSentence(inner.slice(match[0].length), false)));
  const isValue = /[\d\\]/.test(answer) && isMathematical(answer);
  return isValue ? { answer, statement: match[1] ?? match[2] ?? '' } : undefined;
}

function isDenied(statement: string, languages: AnswerForms[]): boolean {
  return (
    statement.endsWith('?') ||
    /^not\b/i.test(statement) ||
    languages.some(({ not, notAfter }) => (not && statement.search(not) === 0) || notAfter?.test(statement))
  );
}

/** Removes the label of `\boxed{\text{The answer is } 5}`, and a sign before the value: `\boxed{\approx 5}`. */
function withoutLabel(content: string): string {
  const [sign = ''] = /^(?:\\approx(?![a-z])|[≈=])\s*/.exec(content) ?? [];
  if (sign !== '') return content.slice(sign.length);
  const [label = '', words = ''] = /^\\text(?:bf|it|rm)?\{([^{}]{1,100})\}\s*/.exec(content) ?? [];
  const isLabel = /[:=]\s*$/.test(words) || findMarkers(words).length > 0;
  return isLabel && label.length < content.length ? content.slice(label.length) : content;
}

/** A statement in words keeps its gloss: `3 (mod 7)` may be all of a target. */
function withoutGlosses({ answer, statement }: NumericAnswer): NumericAnswer {
  return {
    answer: withoutGloss(answer),
    statement: isMathematical(statement) ? withoutGloss(statement) : statement,
  };
}

/** Removes a gloss in brackets after an expression: `1/4 (0.25)`, `12 (3 per bag)`. */
function withoutGloss(text: string): string {
  const head = beforeGloss(text);
  return head !== undefined && isMathematical(head) ? head : text;
}

/**
 * Removes an exclamation mark that ends a sentence, and brackets around a placeholder: "The answer is 42!", "The answer
 * is [42]." The statement keeps both, for a target that has them.
 */
function withoutSentence(statement: string, { kind, languages = [] }: Marker): string {
  const said = languages.reduce((rest, { filler }) => rest.replace(filler, ''), statement);
  const claim = kind === 'sentence' ? said.replace(/(?<=[\d)}%]|\p{L}{2})!$/u, '') : said;
  return /^\[([^[\],;]{1,100})\]$/.exec(claim)?.[1]?.trim() ?? claim;
}

const REASON = /\b(?:because|since|as|so|which|where|given|hence|thus|i\.e\.)\b|, (?:not|rather)\b/i;

const CLAIMS = /\b(?:is|are|be|equals|gives)(?: \w+ly| about)?[\s:*]*$/;

/** Words that introduce a reason in a reply without a marker; `so` and `hence` introduce its answer. */
const AFTERTHOUGHT = /,? (?:because|since)\b|, as\b|, (?:not|rather than) (?=[-$\\\d])/i;

/** Returns the claim of a line before its reason: `553, because 23*24` gives 553. */
function beforeReason(line: string): string | undefined {
  const at = line.search(AFTERTHOUGHT);
  // `5 since 2 left, so 3` continues to a conclusion.
  if (at <= 0 || /[.!?]\s|\b(?:so|hence|thus|therefore)\b/i.test(line.slice(at))) return undefined;
  const claim = trimEnd(line.slice(0, at)).slice(-SEARCHED_END);
  if (isMathematical(claim)) return claim;
  const last = findExpressions(claim).at(-1);
  return last && !last.qualified && isClaimed(claim, last) ? last.text : undefined;
}

/** Reports whether an expression ends a claim: `The largest $n$ is 34`. */
function isClaimed(text: string, { start, end }: FoundExpression): boolean {
  const before = text.slice(0, start);
  return (CLAIMS.test(before) || CLAIMS_ABROAD.test(before.slice(-40))) && isTail(text.slice(end));
}

/** Returns the only expression of a statement in words; `undefined` where there is none or it is ambiguous. */
function selectFromProse(statement: string): string | undefined {
  const reason = statement.search(REASON);
  const claim =
    reason > 0 ? trimEnd(statement.slice(0, reason)).slice(-SEARCHED_END) : statement.slice(-SEARCHED_END);
  if (claim !== statement && isMathematical(claim)) return claim;
  const found = findExpressions(claim);
  const [first, last] = [found[0], found.at(-1)];
  if (!first || !last || found.some((one) => one.qualified)) return undefined;
  if (found.length === 1) return first.text;
  if (isClaimed(claim, last)) return last.text;
  const end = endOfChain(claim, first, last);
  if (end !== undefined) return end;
  // `12 ways to seat 3 guests` gives 12; `5 apples and 3 pears` has two numbers.
  const isLeading = claim.slice(0, first.start).trim() === '';
  return isLeading && !SEVERAL.test(claim.slice(first.end, last.start)) ? first.text : undefined;
}

/** Returns the value after the last `=` of a computation with units: `5 boxes × 4 = 20 pencils` gives 20. */
function endOfChain(claim: string, first: FoundExpression, last: FoundExpression): string | undefined {
  const sign = claim.lastIndexOf('=', last.end);
  const computed = claim.slice(first.end, Math.max(sign, first.end)).replace(/(?<=\d),(?=\d{3})/g, '');
  const isComputed = COMPUTES.test(computed) && !/[,;]|\b(?:and|or)\b/.test(computed);
  const isValue = !/[\d,;]/.test(claim.slice(sign + 1, last.start)) && isTail(claim.slice(last.end));
  if (!isComputed || !isValue) return undefined;
  return last.text.slice(last.text.lastIndexOf('=') + 1).trim();
}

const COMPUTES = /\s(?:[×*·÷/+−-]|x(?=\s[$\d])|times|of)\s/;

const SEVERAL = new RegExp(String.raw`[,;]|(?<![\p{L}\p{M}\p{N}])${JOINTS}`, 'u');

/** Reports whether a text is short, such as a unit, without another claim. */
function isTail(text: string): boolean {
  return text.length < 40 && !/\b(?:and|or|not|is|if|when)\b|\d/.test(text);
}

function withoutMarker(text: string): NumericAnswer | null {
  // `A: 42` is the answer in a dialogue of questions and answers.
  const unlabelled = (line: string) => trimEnd(stripMarkdown(line)).replace(/^A: /, '');
  const whole = unlabelled(text);
  if (whole === '') return null;
  const statement = whole.slice(-LONGEST_EXPRESSION);
  if (isMathematical(whole)) return { answer: whole, statement };
  const lastLine = withoutGloss(unlabelled(whole.slice(whole.lastIndexOf('\n') + 1)));
  if (isMathematical(lastLine)) return { answer: lastLine, statement };
  const claim = beforeReason(lastLine);
  if (claim !== undefined) return { answer: claim, statement };
  const end = whole.slice(-SEARCHED_END);
  const last = findExpressions(end).at(-1);
  if (last && (last.qualified || isQualifiedAbroad(end, last))) return null;
  // "That makes 42!" is not a factorial.
  if (last && isExclaimed(end, last)) return { answer: last.text.slice(0, -1), statement: last.text };
  if (last) return { answer: last.text, statement };
  return whole.length <= LONGEST_EXPRESSION ? { answer: whole, statement } : null;
}

/** Reports whether a number is negated, `Ответ не 42.`, `答えは42ではありません。`, in a language of the text. */
function isQualifiedAbroad(text: string, { start, end }: FoundExpression): boolean {
  const [before, after] = [text.slice(Math.max(0, start - 40), start), text.slice(end, end + 30)];
  return languagesOf(text).some(
    ({ qualifies, notAfter }) =>
      qualifies?.test(before) || notAfter?.test(/^[^,.;!?\n]*/.exec(after)?.[0] ?? ''),
  );
}

const isExclaimed = (text: string, found: FoundExpression) =>
  /\d!$/.test(found.text) && /[\p{L}]{2}/u.test(text) && !text.slice(0, found.start).trimEnd().endsWith('=');

function trimEnd(text: string): string {
  const trimmed = text.trim();
  // Unquotes the value of a JSON object: `"42"}`, `42}`.
  const quoted = /^["“']([^"”]*)["”'][\s}\]]*$/.exec(trimmed)?.[1];
  const closed = withoutTrailing(trimmed, /[\s}]/);
  const value = quoted ?? (closed.includes('{') ? trimmed : closed).replace(/^["“](?=[^"”]*$)/, '');
  return withoutTrailing(value, /[.,;:。\s(]/);
}

/** Reports whether a text is a number or an expression, without words around it. */
function isMathematical(text: string): boolean {
  if (/^[+-]?\d+$/.test(text)) return true;
  if (text === '' || text.length > LONGEST_EXPRESSION) return false;
  if (/^\$?\\text\{[^{}]*\}\$?$/.test(text)) return true;
  if (!/[\d\\√π∞]|^[a-zA-Z]$|^[a-zA-Z](?:\s*[+\-*/^]\s*[a-zA-Z])+$/.test(text)) return false;
  return !hasWords(readAnswer(text));
}

function hasWords(answer: MathAnswer): boolean {
  if (answer.kind === 'words') return true;
  if (answer.kind === 'scalar') return false;
  if (answer.kind === 'matrix') return answer.rows.flat().some(hasWords);
  if (answer.kind === 'relation')
    return answer.sides.some((side, index) => hasWords(side) && (index > 0 || !isSymbol(side)));
  return answer.members.some(hasWords);
}
