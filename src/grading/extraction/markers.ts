import { LONGEST_STATEMENT, MAX_MARKERS } from '../bounds.js';
import { type AnswerForms, BETWEEN, languagesOf } from './answer-forms.js';

/** A place in a reply that announces an answer. */
export interface Marker {
  /**
   * `tag`: `<answer>…</answer>`; `pair`: `<result>…</result>` at the end; `boxed`: `\boxed{…}`; `hashes`: `#### …` on a
   * line of its own; `heading`: `FINAL ANSWER:`, `Answer:`; `sentence`: `the answer is …`.
   */
  kind: 'tag' | 'pair' | 'boxed' | 'hashes' | 'heading' | 'sentence';
  start: number;
  /** Position after the marker's content. */
  end: number;
  /** Text after the marker; for headings and sentences the rest of the paragraph. */
  content: string;
  /** True for a heading in the middle of a line, which may be "let me check the answer:". */
  inline?: boolean;
  /** Languages of the marker's words, where those are not English. */
  languages?: AnswerForms[];
}

/**
 * Finds the explicit answer markers, in the order of the text, but first what counts only where nothing else does:
 * sentences about another case or what others think, and pairs that hold words. At most the last 100.
 */
export function findMarkers(text: string): Marker[] {
  const boxed = findBoxed(text);
  const phrases = findPhrases(text).filter(
    (phrase) => !boxed.some((box) => phrase.start > box.start && phrase.start < box.end),
  );
  const markers = [...findTags(text), ...findPair(text), ...boxed, ...findHashes(text), ...phrases];
  markers.sort((a, b) => a.start - b.start);
  const supposed = new Set(markers.filter((one) => isSupposed(text, one)));
  return [...supposed, ...markers.filter((one) => !supposed.has(one))].slice(-MAX_MARKERS);
}

function findTags(text: string): Marker[] {
  const tags = [...text.matchAll(/[<[](\/?)(?:final[_ -]?)?answer[>\]]/gi)];
  const closed = tags.some((tag) => tag[1] === '/');
  return tags.flatMap((tag, index): Marker[] => {
    if (tag[1] === '/') return [];
    const start = tag.index + tag[0].length;
    const next = tags[index + 1];
    // A cut-off reply lacks the closing tag. "Wrapped in <answer> tags" is not an answer, and `[Answer]` may be a title.
    const isMentioned =
      (closed || /^\s*tags?\b/.test(text.slice(start, start + 10))) && !startsLine(text, tag.index);
    if (next?.[1] !== '/' && (isMentioned || tag[0].startsWith('['))) return [];
    const end = next?.index ?? text.length;
    return [{ kind: 'tag', start: tag.index, end, content: text.slice(start, end) }];
  });
}

/** Tags that mark an answer of one line at the end of a reply; elsewhere they hold what a program or a tool printed. */
const PAIR =
  /<(final|solution|result|output|response|ans|choice|conclusion)>\s{0,9}([^\n<>]{1,400}?)\s{0,9}<\/\1>(?=[\s*_\x60.]{0,9}(?:<\/[a-z_]{1,20}>\s{0,9})?$)/i;

function findPair(text: string): Marker[] {
  const match = PAIR.exec(text);
  // Of two results beside each other neither is the answer.
  if (!match || text.slice(0, match.index).trimEnd().endsWith(`</${match[1]}>`)) return [];
  return [{ kind: 'pair', start: match.index, end: match.index + match[0].length, content: match[2] ?? '' }];
}

/** Beginning of a text that is a number, a formula or an option, not words as `Done in 3 steps` and `I see`. */
export const PLAIN = /^[^\p{L}\d\\]{0,9}(?:\d|\\|(?![AIa] (?!and\b)[a-z])\p{L}(?!\p{L}))/u;

/** True if only Markdown or words such as "the final" precede in the line. */
function startsLine(text: string, position: number): boolean {
  const before = text.slice(Math.max(0, position - 40), position);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return (
    /^[\s#*_>\x60-]*(?:the )?(?:final |my |correct )?$/i.test(line) &&
    (before.includes('\n') || position <= 40)
  );
}

const BOXED = /\\(?:begin)?(?:boxed|fbox|framebox)\s*(\{)|\bboxed\s*(\{)|\\boxed(?:\s+|(?=\d))([^\s\\{}$]+)/g;

/** Maps each `{` of a text to its `}`; escaped braces (`\{`) are not counted. Linear in the text. */
export function matchBraces(text: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let position = 0; position < text.length; position++) {
    const character = text[position];
    if (character === '\\') position += 1;
    else if (character === '{') open.push(position);
    else if (character === '}') {
      const start = open.pop();
      if (start !== undefined) pairs.set(start, position);
    }
  }
  return pairs;
}

function findBoxed(text: string): Marker[] {
  const braces = matchBraces(text);
  return [...text.matchAll(BOXED)].flatMap((match): Marker[] => {
    const after = match.index + match[0].length;
    if (REJECTS.test(text.slice(Math.max(0, match.index - 30), match.index))) return [];
    if (match[3] !== undefined) return [{ kind: 'boxed', start: match.index, end: after, content: match[3] }];
    // An unclosed box ends with its line.
    const close = braces.get(after - 1) ?? endOfLine(text, after);
    return [{ kind: 'boxed', start: match.index, end: close, content: text.slice(after, close) }];
  });
}

/** In `It is \\boxed{3}, not \\boxed{2}.` the answer is 3. */
const REJECTS = /\b(?:not|n't|rather than|instead of)[\s$*(\\]*$/i;

function findHashes(text: string): Marker[] {
  return [...text.matchAll(/^[ \t]*####(?:[ \t]|(?=-?\$?\d[\d,.]{0,40}[ \t]*$))([^\n]+)$/gm)].map(
    (match) => ({
      kind: 'hashes',
      start: match.index,
      end: match.index + match[0].length,
      content: match[1]?.trimStart() ?? '',
    }),
  );
}

const CHOICE = String.raw`(?:correct|best|right|final|appropriate|accurate|suitable|closest|likely|selected|chosen)\s+(?:option|choice|letter|statement|response|alternative)`;
const NO_WORD_BEFORE = String.raw`(?<![\p{L}\p{M}\p{N}_])`;
const HEADING = new RegExp(
  String.raw`${NO_WORD_BEFORE}(?:${CHOICE}|answers?|ans)\b${BETWEEN}[:：→⇒➜➡]`,
  'giu',
);
const DASHED =
  /^[*_#> \t]{0,8}(?:(?:[Tt]he )?(?:[Ff]inal |[Cc]orrect )?[Aa]nswer|(?:FINAL )?ANSWER)[*_ ]{1,4}(?:[-–—]|[-=]>)(?=\s[(*$]{0,3}(?:[A-Z](?![\p{L}\d])|[-−]?[$€£]?\d|\\))/gmu;
/** Only at the beginning of a line and capitalised, or before a letter alone: `answer = a + b` is program code. */
const EQUATED =
  /^[*_#> \t]{0,8}(?:(?:Final )?A(?:nswer|NSWER)[*_ ]{0,4}=(?!=)|(?:final )?answer[*_ ]{0,4}=(?= ?\(?[A-Z]\)?$))/gm;
const TITLE = /^[#*_> \t\x60]{0,12}(?:the )?(?:final |correct )?answer[*_ \t\x60.]{0,8}$/gim;
/** Words between "the answer" and its verb: `, then,`, `, as shown above,`, `that I would choose`, `which fits best`. */
const ASIDE = String.raw`,?\s(?:then|therefore|thus|hence|clearly),?|,\s(?!(?:if|unless|when|not|were|had)\b)[^.,:;?!\d\n]{1,60},|(?:\s(?:that|which))?\s(?:I|we)(?:['’](?:d|ll)|\s(?:would|will))?\s(?:choose|chose|pick|picked|select|selected|get|got)|\s(?:that|which)\s(?:best\s)?(?:fits|matches)(?:\sbest)?`;
const SENTENCE = new RegExp(
  String.raw`\b(?:${CHOICE}|answers?)\b(?:\s(?:to|for|of|in|among|from)\s[^.:?!\n]{0,100}?|\shere|(?:${ASIDE})(?!\s(?:is|was)\s(?:wrong|incorrect)\b))?${BETWEEN}\s` +
    String.raw`(?:is|are|was|(?:would|should|must|will|can\sonly|(?:appears|seems|has)\sto)\sbe|equals)\b`,
  'giu',
);

/** `We may check our answer: …` and `Explanation of the answer:` do not announce an answer. */
const TALKS_ABOUT =
  /\b(?:check\w*|verif\w+|confirm\w*|expla\w+|justif\w+|derivation|proof|validat\w+|double-check\w*|steps|previous|initial|wrong|incorrect)\b[^.:!?\n]*$/i;

/** `If she ate 4 eggs, the answer would be 16`, `Were it wet, …`: another case than that of the question. */
const SUPPOSES = /\b(?:if|unless|without|otherwise)\b[^.!?\n]*$|(?:^|[.!?\n(])\s?(?:had|were)\b[^.!?\n]*$/i;
const SUPPOSES_AFTER = /^[^.!?\n]{0,100}\b(?:if|unless)\b/i;

/** `Some might think the answer is C`. */
const OTHERS =
  /\b(?:(?:some|many|most|others|people|students|someone)(?: (?:people|students))?(?: (?:may|might|could|would|will|often))?|(?:one|you) (?:may|might|could|would))(?: \w{2,12}ly)? (?:think|say|believe|assume|argue|guess|conclude|claim)s?(?: that)? (?:the |my )?(?:correct |right |final )?$/i;

/** Reports whether a marker states no answer to the question, beside one that does. */
function isSupposed(text: string, { kind, start, end, content }: Marker): boolean {
  if (kind === 'pair') return !PLAIN.test(content) || /\p{L}{2} \p{L}{2}/u.test(content);
  if (kind !== 'sentence') return false;
  const before = text.slice(Math.max(0, start - 200), start);
  if (OTHERS.test(before)) return true;
  const isElsewhere = /\bwould\sbe$/i.test(text.slice(start, end - content.length));
  return isElsewhere && (SUPPOSES.test(before) || SUPPOSES_AFTER.test(content));
}

function findPhrases(text: string): Marker[] {
  const found = (pattern: RegExp, kind: Marker['kind'], language?: AnswerForms) =>
    [...text.matchAll(pattern)].flatMap((match): Marker[] => {
      const before = text.slice(Math.max(0, match.index - 40), match.index);
      if ((language ? language.about : TALKS_ABOUT)?.test(before)) return [];
      const start = match.index + match[0].length;
      if (pattern === language?.bare || pattern === language?.solution) {
        language.value.lastIndex = start;
        if (!language.value.test(text)) return [];
      }
      const end = endOfParagraph(text, start);
      const inline = kind === 'heading' && !startsLine(text, match.index);
      // "Dans 5 ans : …" is about years.
      if (inline && /^ans\b/.test(match[0])) return [];
      const marker = { kind, start: match.index, end, content: text.slice(start, end) };
      return [{ ...marker, ...(inline ? { inline } : {}), ...(language ? { languages: [language] } : {}) }];
    });
  return [
    ...found(HEADING, 'heading'),
    ...found(EQUATED, 'heading'),
    ...found(TITLE, 'heading'),
    ...found(DASHED, 'heading'),
    ...found(SENTENCE, 'sentence'),
    ...oneAPlace(
      languagesOf(text).flatMap((language) => [
        ...found(language.heading, 'heading', language),
        ...found(language.title, 'heading', language),
        ...(language.solution ? found(language.solution, 'heading', language) : []),
        ...found(language.sentence, 'sentence', language),
        ...found(language.bare, 'sentence', language),
      ]),
    ),
  ];
}

/** Keeps one marker at each place, with all of its languages, since languages share words: the longest match. */
function oneAPlace(markers: Marker[]): Marker[] {
  const places = new Map<number, Marker>();
  for (const marker of markers) {
    const other = places.get(marker.start);
    const longer = (other?.content.length ?? Infinity) - marker.content.length;
    if (longer > 0) places.set(marker.start, marker);
    else if (other && longer === 0) other.languages?.push(...(marker.languages ?? []));
  }
  return [...places.values()];
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** Returns the end: the first blank line after text, or a closing answer tag. */
function endOfParagraph(text: string, from: number): number {
  const paragraph = text.slice(from, from + LONGEST_STATEMENT);
  // A colon or the end of emphasis is not yet text: "the answer is:".
  const first = paragraph.search(/[^\s:：*_]/);
  if (first < 0) return from + paragraph.length;
  const blank = paragraph.slice(first).search(/\n[ \t]*\n|<\/(?:final[_ -]?)?answer>/i);
  return from + (blank < 0 ? paragraph.length : first + blank);
}
