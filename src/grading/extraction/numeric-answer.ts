import { withoutTrailing } from '../../contracts/trailing.js';
import { LONGEST_EXPRESSION } from '../bounds.js';
import { compareQuickly } from '../compare-quickly.js';
import { isSymbol } from '../mathematics/assignment.js';
import { type MathAnswer, readAnswer } from '../mathematics/structure.js';
import { type AnswerForms, CLAIMS as CLAIMS_ABROAD, JOINTS, languagesOf } from './answer-forms.js';
import { withoutAsides } from './asides.js';
import { correctionOf } from './correction.js';
import { type FoundExpression, findExpressions } from './expressions-in-prose.js';
import { beforeGloss } from './gloss.js';
import { isEnclosing, markedText } from './marked-answer.js';
import { findMarkers, type Marker } from './markers.js';
import { apartFromWords, plainCharacters } from './plain-characters.js';
import { searchedText, stripMarkdown } from './reply-text.js';
import { plainScales } from './scale-words.js';
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
 * Finds the mathematical answer of a reply: after the last explicit marker, or what takes its place; without one, the
 * reply itself where it is an expression, its first line where the reason follows, then its last line, then the last
 * expression in its text.
 */
export function extractNumericAnswer(reply: string): NumericAnswer | null {
  const text = plainNumbers(searchedText(reply));
  const markers = joinBoxes(text, findMarkers(text));
  for (const marker of markers.toReversed()) {
    const found = fromMarker(marker, markers.length === 1);
    if (!found) continue;
    const corrected = marker === markers.at(-1) ? correctionOf(text, marker, found) : found;
    return corrected && withDottedThousands(withoutGlosses(corrected), marker);
  }
  const found = withoutMarker(text);
  return found && (fromOption(found.answer) ?? withoutGlosses(found));
}

/**
 * Rewrites numbers in ASCII, with spaces between them and words: `４２`, `٤٢`, `42개`, `1’000`, `1 000` with a narrow
 * space, `Rs. 500`, `negative 5`, `8x3=24`, `5 dollars and 25 cents`. Calculations of GSM8K, `2*9=$<<2*9=18>>18`, are removed.
 */
export function plainNumbers(text: string): string {
  const plain = plainCharacters(text.replace(/<<[\d.,+*/()$% -]{1,100}=[\d.,$% -]{1,40}>>/g, ''));
  return apartFromWords(plainScales(plain).replace(/(?<=\d)['’\u00a0\u2009\u202f](?=\d{3}(?!\d))/g, ''))
    .replace(/(?<!\p{L})Rs\.?\s?(?=\d)/gu, '₹')
    .replace(/(?<![\p{L}$])R(?=\$\s?\d)/gu, '')
    .replace(/(?<=\d)x(?=\d[\d.]{0,20}\s?=)|(?<=[\p{L}\d)%] )x(?= [$€£]?\d)/gu, '×')
    .replace(/(?<=\d)( (?:dollar|euro)s?),? (?:and )?(\d\d) cents?\b/g, '.$2$1')
    .replace(/(?<=\d)( (?:dollar|euro)s?),? (?:and )?(\d) cents?\b/g, '.0$2$1')
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
  // In `Answer: – 42` the dash is no sign.
  const marked = isEnclosed ? markedText(marker) : markedText(marker).replace(/^(?:[–—]|[-=]>)\s+/, '');
  const option = fromOption(marked);
  if (option) return option;
  const beginsLine = /^[\s:*_]*\n/.test(marker.content);
  const statement = trimEnd(isEnclosed ? marked : firstSentence(marked, beginsLine));
  if (statement === '') return undefined;
  if (!isEnclosed && (isDenied(statement, languages) || IS_ABOVE.test(marker.content))) return undefined;
  const answer = withoutGloss(
    isEnclosed ? unbracketed(withoutLabel(statement)) : withoutSentence(statement, marker),
  );
  if (isMathematical(answer)) return { answer, statement };
  const lastLine = statement.slice(statement.lastIndexOf('\n') + 1).trim();
  if (isEnclosed && lastLine !== statement && isMathematical(lastLine))
    return { answer: lastLine, statement };
  // A heading of a Markdown section is not an answer, and words in `<conclusion>` are read as a last line.
  if (kind === 'hashes' || (kind === 'pair' && /\d/.test(statement))) return undefined;
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

/** Languages that write dots between thousands. */
const DOTTED =
  /German|Spanish|Italian|Portuguese|Indonesian|Turkish|Dutch|Danish|Romanian|Greek|Vietnamese|Serbian|Catalan/;

/** Adds the other reading of `5.000` in a sentence of a language where it is five thousand. */
function withDottedThousands(found: NumericAnswer, { languages = [] }: Marker): NumericAnswer {
  const [, thousands, hundreds] = /^[^\d]{0,4}(-?\d{1,3})\.(\d{3})(?![\d.,])/.exec(found.answer) ?? [];
  if (thousands === undefined || !languages.some(({ language }) => DOTTED.test(language))) return found;
  return { answer: found.answer, statement: `${thousands}${hundreds}` };
}

/** In the line of a marker the sign is no mark of a quotation: "The answer is > 5." */
const IS_ABOVE = /^[ \t]{0,3}>[ \t]?\d/;

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

/** Words before a value in `\text{}`: `\boxed{\text{about } 42}`, `\boxed{\text{about 42}}`. */
const HEDGE = /^\s?(?:approximately|approx\.?|about|around|roughly|exactly)\s+/i;

/** Removes the label of `\boxed{\text{The answer is } 5}`, and a sign before the value: `\boxed{\approx 5}`. */
function withoutLabel(content: string): string {
  const [, , aligned] =
    /^\\begin\{(aligned|align\*?|split|gathered)\}([^\n]{1,400})\\end\{\1\}$/.exec(content) ?? [];
  if (aligned !== undefined && !aligned.includes('\\\\')) return aligned.trim();
  const [sign = ''] = /^(?:\\approx(?![a-z])|[≈=])\s*/.exec(content) ?? [];
  if (sign !== '') return content.slice(sign.length);
  const [label = '', words = ''] = /^\\text(?:bf|it|rm)?\{([^{}]{1,100})\}\s*/.exec(content) ?? [];
  const isLabel = /[:=]\s*$/.test(words) || HEDGE.test(`${words} `) || findMarkers(words).length > 0;
  if (isLabel && label.length < content.length) return content.slice(label.length);
  return label === content && HEDGE.test(words) ? words.replace(HEDGE, '') : content;
}

/** A statement in words keeps its gloss: `3 (mod 7)` may be all of a target. */
function withoutGlosses({ answer, statement }: NumericAnswer): NumericAnswer {
  return {
    answer: withoutGloss(answer.replace(/^\[\[([^[\],;]{1,100})\]\]$/, '$1')),
    statement: isMathematical(statement) ? withoutGloss(statement) : statement,
  };
}

/** Removes a gloss in brackets after an expression: `1/4 (0.25)`, `12 (3 per bag)`. */
function withoutGloss(text: string): string {
  const head = beforeGloss(text);
  return head !== undefined && isMathematical(head) ? head : text;
}

/**
 * Removes an exclamation mark that ends a sentence, "The answer is 42!", and the article of "The answer is the 21st." The
 * statement keeps both, for a target that has them.
 */
function withoutSentence(statement: string, { kind, languages = [] }: Marker): string {
  const said = languages.reduce((rest, { filler }) => rest.replace(filler, ''), statement);
  const claim = kind === 'sentence' ? said.replace(/(?<=[\d)}%]|\p{L}{2})!$/u, '') : said;
  return unbracketed(claim).replace(/^the (?=\d{1,20}(?:st|nd|rd|th)$)/i, '');
}

/** Removes brackets that hold the place of a marked answer, `[42]`; the statement keeps them. */
const unbracketed = (text: string) => /^\[{1,2}([^[\],;]{1,100})\]{1,2}$/.exec(text)?.[1]?.trim() ?? text;

const REASON = /\b(?:because|since|as|so|which|where|given|hence|thus|i\.e\.)\b|, (?:not|rather)\b/i;

const CLAIMS = /\b(?:is|are|be|equals|gives)(?: \w+ly| about)?[\s:*]*$/;

/** Words that introduce a reason in a reply without a marker; `so` and `hence` introduce its answer. */
const AFTERTHOUGHT = /,? (?:because|since)\b|, as\b/i;

/** Words before a number that the answer is not: "42, not 41", "42 rather than 41". */
const CONTRAST = /(?:,| and)? not (?=[-$\\\d])|,? (?:rather than|instead of) (?=[-$\\\d])/i;

/** Returns the claim of a line before its reason: `553, because 23*24` gives 553. */
function beforeReason(line: string): string | undefined {
  const contrast = line.search(CONTRAST);
  const at = contrast > 0 ? contrast : line.search(AFTERTHOUGHT);
  // `5 since 2 left, so 3` continues to a conclusion.
  if (at <= 0 || /[.!?]\s|\b(?:so|hence|thus|therefore)\b/i.test(line.slice(at))) return undefined;
  const claim = trimEnd(line.slice(0, at)).slice(-SEARCHED_END);
  if (isMathematical(claim)) return claim;
  const last = findExpressions(claim).at(-1);
  return last && !last.qualified && (at === contrast || isClaimed(claim, last)) ? last.text : undefined;
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

const COMPUTES = /\s(?:[×*·÷/+−-]|times|plus|minus|(?:multiplied|divided) by|(?:more|less) than|of|dozen)\s/;

const SEVERAL = new RegExp(String.raw`[,;]|(?<![\p{L}\p{M}\p{N}])${JOINTS}`, 'u');

/** Reports whether a text is short, such as a unit, without another claim. */
function isTail(text: string): boolean {
  return text.length < 40 && !/\b(?:and|or|not|is|if|when)\b|\d/.test(text);
}

function withoutMarker(reply: string): NumericAnswer | null {
  const text = withoutAsides(reply);
  // `A: 42` is the answer in a dialogue of questions and answers.
  const unlabelled = (line: string) =>
    trimEnd(stripMarkdown(line)).replace(
      /^(?:(?:A|TL;?DR|in (?:short|summary)|summary|result): |[-=]> )/i,
      '',
    );
  const whole = unlabelled(text);
  if (whole === '') return null;
  const statement = whole.slice(-LONGEST_EXPRESSION);
  const [begin = '', ...rest] = text.split('\n');
  const first = unlabelled(begin);
  if (isAnswerFirst(first, rest)) return { answer: first, statement };
  if (!whole.includes('\n\n') && isMathematical(whole)) return { answer: whole, statement };
  const lastLine = withoutGloss(unlabelled(whole.slice(whole.lastIndexOf('\n') + 1)));
  if (isMathematical(lastLine)) return { answer: lastLine, statement };
  const end = whole.slice(-SEARCHED_END);
  const claim = beforeReason(lastLine) ?? emphasised(text) ?? beforeGiven(end) ?? inOtherWords(end);
  if (claim !== undefined) return { answer: claim, statement };
  const last = findExpressions(end).at(-1);
  if (last && (last.qualified || isQualifiedAbroad(end, last))) return null;
  // "That makes 42!" is not a factorial.
  if (last && isExclaimed(end, last)) return { answer: last.text.slice(0, -1), statement: last.text };
  if (last) return { answer: last.text, statement };
  return whole.length <= LONGEST_EXPRESSION ? { answer: whole, statement } : null;
}

/** Words before the value to which a text comes. */
const CONCLUDES =
  /\b(?:so|therefore|thus|hence|total\w*|altogether|makes?|made|leaves?|leaving|gives?|giving|wait|but|actually|now)\b|=|(?::|\bpays?|, for)\s?$/i;

const lastSentence = (text: string) => text.split(/[.!?]\s|\n/).at(-1) ?? '';

/** Reports whether the last sentence of a text leads to a value. */
const concludes = (text: string) => CONCLUDES.test(lastSentence(text));

/** Beginning of the reason for an answer before it. */
const EXPLAINS =
  /^[\s*_#>-]{0,9}(?:(?:brief |detailed )?explanations?|reason(?:s|ing)?|rationale|justification|why|(?:this is )?because|here(?:['’]s| is) (?:why|how))\b/i;

/**
 * Reports whether a first line that is one number is the answer of a reply: the reason follows, or after a blank line
 * text that comes to no other value. The `1.` of a list is no answer.
 */
function isAnswerFirst(line: string, rest: string[]): boolean {
  if (!/\d/.test(line) || line === '1' || !isMathematical(line)) return false;
  const value = readAnswer(line);
  if (value.kind !== 'scalar' || !/^-?(?:\d[\d.]*(?:\/\d+)?|\\frac\{\d+\}\{\d+\})$/.test(value.latex))
    return false;
  const next = rest.find((one) => one.trim() !== '');
  if (next !== undefined && EXPLAINS.test(next)) return true;
  if (next === undefined || rest[0]?.trim() !== '') return false;
  const end = stripMarkdown(rest.join('\n')).slice(-SEARCHED_END);
  const last = findExpressions(end).at(-1);
  if (!last || compareQuickly(last.text, line) === true) return true;
  const isConcluded = concludes(end.slice(0, last.start)) || last.text.includes('=') || isClaimed(end, last);
  return !isConcluded && !isMathematical(trimEnd(end.slice(end.lastIndexOf('\n') + 1)));
}

/** Words before a number that is a circumstance, `after 3 days`: an emphasised number behind them is no answer. */
const CIRCUMSTANCE =
  'after|at|before|by|during|each|every|for|in|on|over|per|with|within|nach|pro|für|mit|après|par|pour|avec|después de|por|con|dopo|após|com';
const LED = new RegExp(String.raw`(?:^|[.,;\n]|\b(?:${CIRCUMSTANCE}|the|a|first))[\s$]{0,6}$`, 'i');
/** End of a sentence in which at most one number follows, in a circumstance, a reason or a purpose. */
const TRAILED = new RegExp(
  String.raw`^[^\d.,;:!?=\n]{0,80}(?:(?:\b(?:${CIRCUMSTANCE}|from|of)(?: (?:\w{2,12}ing|the|h[ei][rs]|their|all|these|those))?|(?:,? (?:because|since)| to (?!find|get|give|make|obtain|reach)[a-z]{3,12})(?: [^\d,;:!?=\n]{0,60})?) [$€£]?\d[\d.,]*[^\d,;:?=\n]{0,80})?[\s.!]{0,3}$`,
);

const EMPHASIS =
  /(?<![\w)*])\*{2,3}(?=[^\s*])([^*\n]{1,200})\*{2,3}(?![\w(*])|(?<![\w)_\\])__(?=\S)([^_\n]{1,200})__(?![\w(_])|\\(?:mathbf|textbf|boldsymbol)\{([^{}\n]{1,200})\}/g;

/** Returns the last emphasised number where what follows comes to no other: "So she has **18** eggs left after 3 days." */
function emphasised(text: string): string | undefined {
  const end = text.trimEnd().slice(-SEARCHED_END);
  const run = [...end.matchAll(EMPHASIS)].findLast(([whole]) => /\d/.test(whole));
  if (!run) return undefined;
  const before = end.slice(0, run.index);
  const after = end.slice(run.index + run[0].length).replace(/ \([^()\n]{1,200}\)/g, '');
  // "So she has **18**. She began with 24."
  const isOver = /^[^\d.,;:!?=\n]{0,80}[.!]\s/.test(after) && !CONCLUDES.test(after) && concludes(before);
  if (LED.test(before) || !(isOver || TRAILED.test(after))) return undefined;
  const [value, other] = findExpressions(run[1] ?? run[2] ?? run[3] ?? '');
  return other || value?.qualified ? undefined : value?.text;
}

/** Returns the new number of a last sentence that ends with a known one: `So she fills 7 rows with 5 pencils in each.` */
function beforeGiven(text: string): string | undefined {
  const sentence = lastSentence(text);
  const [value, known, ...others] = findExpressions(sentence);
  if (!value || !known || others.length > 0 || value.qualified) return undefined;
  const before: string[] = text.slice(0, text.length - sentence.length).match(/\d[\d.,]*(?<=\d)/g) ?? [];
  const digits = (one: FoundExpression) => /\d[\d.,]*(?<=\d)/.exec(one.text)?.[0] ?? '';
  const [at, first] = [before.indexOf(digits(known)), before.indexOf(digits(value))];
  const isNew = value.text.includes('=') || (at >= 0 && (first < 0 || first > at));
  return isNew && TRAILED.test(sentence.slice(value.end)) ? value.text : undefined;
}

/** Returns the value of a computation in a last sentence: `That is 3 times 16, or 48 kilograms.` */
function inOtherWords(text: string): string | undefined {
  const sentence = lastSentence(text);
  const at = sentence.lastIndexOf(', or ');
  if (at < 0 || !COMPUTES.test(sentence.slice(0, at))) return undefined;
  const [value, other] = findExpressions(sentence.slice(at + ', or '.length));
  return other ? undefined : value?.text;
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
