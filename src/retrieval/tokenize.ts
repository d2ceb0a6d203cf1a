/**
 * Scripts without spaces between words, and Hangul, whose particles are attached to words. Runs of them are split into
 * overlapping pairs of characters, which needs no dictionary (as in Lucene's CJKAnalyzer).
 */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}';
const LETTER = '[\\p{L}\\p{M}]';

/**
 * Numbers, runs of an unspaced script, and words, in this order. `2x` is a number and a word, `x_1` a word and a
 * number.
 */
const TOKEN = new RegExp(
  `(\\d{1,3}(?:,\\d{3})+(?!\\d)(?:\\.\\d+)?|\\p{N}+(?:\\.\\p{N}+)?)` +
    `|((?:(?=${LETTER})[${UNSPACED}])+)` +
    `|(?:(?![${UNSPACED}])${LETTER})+`,
  'gu',
);

function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/**
 * Returns the terms of a text in any language: lower case, with compatibility forms folded (`ﬁ`, `２`, `𝑥`), and
 * numbers kept whole (`3.14`; `1,000` is `1000`). No stemming and no stop words, which would depend on the language.
 */
export function tokenize(text: string): string[] {
  const terms: string[] = [];
  for (const [term, number, run] of text.normalize('NFKC').toLowerCase().matchAll(TOKEN)) {
    if (run !== undefined) terms.push(...pairs(run));
    else terms.push(number === undefined ? term : number.replaceAll(',', ''));
  }
  return terms;
}
