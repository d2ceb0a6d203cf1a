/** Finished markup: the result of {@link html} and {@link elementText}, and the page's own style and script. */
export class Html {
  constructor(readonly text: string) {}
}

/** Content of a template: markup is inserted unchanged, everything else as text. `null` and `false` insert nothing. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

/** Builds markup. Values are escaped, in text and in quoted attributes alike; attributes must be quoted. */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  let text = parts[0] as string;
  for (const [index, value] of values.entries()) text += rendered(value) + (parts[index + 1] as string);
  return new Html(text);
}

function rendered(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'object') return content.map(rendered).join('');
  return escapeText(String(content));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

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

/** Escapes hostile text as HTML that shows it. Invisible characters are named: `⟨U+202E⟩`. */
export function escapeText(text: string): string {
  return visible(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Escapes text for the content of an element, not for an attribute: quotes stay. */
export function elementText(text: string): Html {
  return new Html(visible(text).replaceAll(/[&<>]/g, (character) => ENTITIES[character] as string));
}

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
