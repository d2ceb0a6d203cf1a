/**
 * Converts a program's output to text. Invalid UTF-8 becomes U+FFFD, which is longer than most of what it replaces, so
 * the text is cut to `limit` bytes of UTF-8 as well. An incomplete character at the cut is left out.
 */
export function capturedText(bytes: Uint8Array, limit: number, wasCut: boolean): CapturedText {
  const text = decode(bytes, wasCut);
  const encoded = Buffer.from(text);
  if (encoded.length <= limit) return { text, truncated: wasCut };
  return { text: decode(encoded.subarray(0, limit), true), truncated: true };
}

export interface CapturedText {
  text: string;
  truncated: boolean;
}

function decode(bytes: Uint8Array, mayEndWithin: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: mayEndWithin });
}
