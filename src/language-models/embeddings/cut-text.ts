/** The beginning of a text, of at most so many UTF-8 bytes; whole where it fits. Characters are never cut in two. */
export function cutText(text: string, maximumBytes: number): string {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= maximumBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maximumBytes));
  return text.slice(0, read);
}
