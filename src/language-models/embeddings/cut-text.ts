/** Cuts a text to at most `maximumBytes` UTF-8 bytes, without splitting a character. */
export function cutText(text: string, maximumBytes: number): string {
  // A UTF-16 unit has at most three bytes in UTF-8.
  if (text.length * 3 <= maximumBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maximumBytes));
  return text.slice(0, read);
}
