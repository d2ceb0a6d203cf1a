import { findMarkers, type Marker } from './markers.js';
import { searchedText, stripMarkdown } from './reply-text.js';
import { firstStatement, writtenStatement } from './statement.js';

/**
 * Returns the text at the last explicit answer marker of a reply, without Markdown: in the last `<answer>` tags or
 * `\boxed{}`, or after the last `#### `, `FINAL ANSWER:` or `Answer:`.
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

/** Returns the answer at a marker: all of a tag or box, the first line or block after a heading. */
export function markedText(marker: Marker): string {
  return isEnclosing(marker) ? stripMarkdown(marker.content) : firstStatement(marker.content);
}

/** True if a marker encloses its answer, so that its whole content is the answer. */
export const isEnclosing = ({ kind }: Marker) => kind === 'tag' || kind === 'pair' || kind === 'boxed';

/** An answer as it is written in a reply, with its Markdown. */
export interface WrittenAnswer {
  text: string;
  /** True for the sentence "The answer is ….", whose full stop is not included. */
  inSentence: boolean;
}

/**
 * Finds the answer at the last explicit marker of a reply, as it is written. A sentence counts where it ends the reply
 * and is complete, "The answer is (B).", or is a conclusion, "So the answer is (B)", or has a colon, "The answer is: B".
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
    /^[\s*_]*[:：]/.test(content) ||
    /[.。!।][*_`"”»」'’)\]]{0,4}$/.test(line) ||
    CONCLUDES.test(text.slice(Math.max(0, start - 40), start))
  );
}
