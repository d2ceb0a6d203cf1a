import { findMarkers, type Marker } from './markers.js';
import { searchedText, stripMarkdown } from './reply-text.js';
import { firstStatement } from './statement.js';

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
  const isEnclosed = marker.kind === 'tag' || marker.kind === 'boxed';
  return isEnclosed ? stripMarkdown(marker.content) : firstStatement(marker.content);
}
