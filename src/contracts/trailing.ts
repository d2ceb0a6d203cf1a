/**
 * A text without what it ends with. Linear, as `/[…]+$/` is not: that begins anew at each character of a run that does not
 * end the text.
 * @param dropped one character to leave out
 */
export function withoutTrailing(text: string, dropped: RegExp): string {
  let end = text.length;
  while (end > 0 && dropped.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
