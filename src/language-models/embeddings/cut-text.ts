/** A high surrogate without its low one, or the reverse: no UTF-8 can carry it. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The beginning of a text, of at most so many UTF-8 bytes; whole where it fits. Characters are never cut in two. */
export function cutText(text: string, maximumBytes: number): string {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= maximumBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maximumBytes));
  return text.slice(0, read);
}

/** The text as a provider can take it: unpaired surrogates become U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '�');
}
