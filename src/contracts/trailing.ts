/**
 * Removes trailing characters from a text. Linear, unlike `/[…]+$/`, which starts again at each character of a run that
 * does not end the text.
 * @param dropped matches one character to remove
 */
export function withoutTrailing(text: string, dropped: RegExp): string {
  let end = text.length;
  while (end > 0 && dropped.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
