/**
 * Characters that a terminal acts on instead of showing them: controls (C0 without tab and line feed, delete, C1), and
 * those that turn the direction of what is around them.
 * https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters, ECMA-48.
 */
const ACTED_ON = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** U+2400 on: a picture for each of the characters up to U+001F, and one for delete. */
const PICTURES = 0x2400;
const PICTURE_OF_DELETE = '\u2421';
const REPLACEMENT = '\ufffd';

function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(PICTURES + code);
  return code === 0x7f ? PICTURE_OF_DELETE : REPLACEMENT;
}

/** Text of others as a terminal may be given it: what it would act on is shown (ESC as ␛). Lines stay lines. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(ACTED_ON, pictureOf);
}

/** The same as one line, without white space around it or doubled in it. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}

/** JSON in which such characters are written as escapes; the same value to whoever parses it. */
export function printableJson(json: string): string {
  return json.replace(ACTED_ON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
