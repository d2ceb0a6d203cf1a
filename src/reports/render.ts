import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/**
 * Invisible characters that change the text: controls, marks of the writing direction (with them code does not run as
 * it reads; Boucher and Anderson, "Trojan Source", 2021), line separators that Python does not know, unpaired
 * surrogates, and characters without a glyph: zero-width spaces, fillers, invisible copies of ASCII.
 */
const UNSEEN = /[\p{Cc}\p{Cs}\u2028\u2029\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Pattern of valid uses of such characters: a joiner after letters and marks of scripts other than Latin and after
 * emoji, and one variation selector after a character that has variants.
 */
const IN_PLACE = new RegExp(
  [
    String.raw`(?<=[^\P{L}\p{Script=Latin}]|[^\P{M}\p{Script=Inherited}])\p{Join_Control}`,
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\p{Join_Control}`,
    String.raw`(?<=[\p{Emoji}\p{Script=Han}])\p{Variation_Selector}`,
  ].join('|'),
  'uy',
);

/** Renders components as HTML. Text is escaped, and invisible characters in it are named: `⟨U+202E⟩`. */
export function render(node: VNode): string {
  return visible(renderToString(node));
}

/** Names invisible characters. Applied to markup it changes only texts and attributes, which alone contain others' text. */
function visible(text: string): string {
  return text.replaceAll(UNSEEN, (character, offset: number) => {
    IN_PLACE.lastIndex = offset;
    return character === '\n' || character === '\t' || IN_PLACE.test(text) ? character : named(character);
  });
}

function named(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase();
  return `⟨U+${code.padStart(4, '0')}⟩`;
}

/** Encodes a text for an address or an id. Halves of surrogate pairs have no encoding. */
export function encoded(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'));
}

/** Returns the address of a file of the experiment's folder for a page in that folder. It is always relative. */
export function fileAddress(path: string): string {
  return `./${path.split('/').map(encoded).join('/')}`;
}
