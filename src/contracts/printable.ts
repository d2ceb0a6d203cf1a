/**
 * Characters that control a terminal instead of being displayed: controls (C0 without tab and line feed, delete, C1),
 * and those that change the text direction.
 * https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters, ECMA-48.
 */
const ACTED_ON = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Code of the first control picture: there is one for each of the characters up to U+001F, and one for delete. */
const PICTURES = 0x2400;
const PICTURE_OF_DELETE = '\u2421';
const REPLACEMENT = '\ufffd';

function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(PICTURES + code);
  return code === 0x7f ? PICTURE_OF_DELETE : REPLACEMENT;
}

/** Makes others' text safe for a terminal: control characters are shown (ESC as ␛). Lines stay lines. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(ACTED_ON, pictureOf);
}

/** Does the same as one line, without leading, trailing or repeated white space. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}

/** Escapes such characters in JSON; parsing gives the same value. */
export function printableJson(json: string): string {
  return json.replace(ACTED_ON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
