import { findMarkers, type Marker } from './markers.js';
import { searchedText, stripMarkdown } from './reply-text.js';
import { firstStatement, writtenStatement } from './statement.js';

/**
 * The text after the last explicit answer marker of a reply, without Markdown: what stands in the last
 * `<answer>` tags or `\boxed{}`, or after the last `#### `, `FINAL ANSWER:` or `Answer:`.
 * @returns `null` where the reply has no marker, or nothing after it.
 */
export function extractMarkedAnswer(reply: string): string | null {
  const markers = findMarkers(searchedText(reply)).filter((marker) => marker.kind !== 'sentence');
  for (const marker of markers.reverse()) {
    const answer = markedText(marker);
    if (answer !== '') return answer;
  }
  return null;
}

/** What a marker marks: all of a tag or a box, the first line or block after a heading. */
export function markedText(marker: Marker): string {
  return isEnclosing(marker) ? stripMarkdown(marker.content) : firstStatement(marker.content);
}

/** Whether a marker stands around its answer, so that all of what is in it is one. */
export const isEnclosing = ({ kind }: Marker) => kind === 'tag' || kind === 'boxed';

/** An answer as it stands in a reply, with its Markdown. */
export interface WrittenAnswer {
  text: string;
  /** The sentence "The answer is …." says it, and its stop is no part of it. */
  inSentence: boolean;
}

/**
 * The answer at the last explicit marker of a reply, as it is written. A sentence is one where the reply ends with it
 * and it is complete, "The answer is (B).", or concludes, "So the answer is (B)".
 */
export function findWrittenAnswer(reply: string): WrittenAnswer | null {
  const text = searchedText(reply).normalize('NFC');
  for (const marker of findMarkers(text).reverse()) {
    const inSentence = marker.kind === 'sentence';
    if (inSentence && !isConclusion(text, marker)) continue;
    const written = isEnclosing(marker) ? marker.content.trim() : writtenStatement(marker.content);
    if (stripMarkdown(written) !== '') return { text: written, inSentence };
  }
  return null;
}

const CONCLUDES =
  /\b(?:so|thus|therefore|hence|consequently),?\s+(?:the\s+|my\s+)?(?:final\s+|correct\s+)?$/i;

function isConclusion(text: string, { start, content }: Marker): boolean {
  const line = writtenStatement(content).trim();
  if (line === '' || !text.trimEnd().endsWith(line)) return false;
  return (
    /[.。!।][*_`"”»」'’)\]]{0,4}$/.test(line) || CONCLUDES.test(text.slice(Math.max(0, start - 40), start))
  );
}
