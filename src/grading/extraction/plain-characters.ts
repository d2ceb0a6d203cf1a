/** Zeros of each script's decimal digits; the nine others follow each zero. */
const ZEROS = [...'٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀០᠐'].map((zero) => zero.codePointAt(0) ?? 0);

/** Punctuation of other scripts, with its ASCII form. */
const PUNCTUATION: Record<string, string> = {
  '。': '. ',
  '｡': '. ',
  '।': '. ',
  '॥': '. ',
  '۔': '. ',
  '።': '. ',
  '！': '! ',
  '？': '? ',
  '؟': '? ',
  '，': ', ',
  '、': ', ',
  '､': ', ',
  '،': ', ',
  '；': '; ',
  '؛': '; ',
  '：': ': ',
  '︰': ': ',
  '٫': '.',
  '٬': ',',
  '٪': '%',
  '【': '[',
  '】': ']',
  '〔': '[',
  '〕': ']',
  '［': '[',
  '］': ']',
};

const QUOTES = /[“”„‟«»‹›「」『』〝〞〟《》〈〉﹁﹂﹃﹄＂]/;

/** Characters without meaning for a text: direction marks, joiners, variation selectors. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

/** Ranges of letters in circles, boxes and brackets; Unicode does not normalise `🅰`. */
const BOXED_LETTERS = [0x1f130, 0x1f150, 0x1f170].map((first) => [first, first + 25] as const);

const OTHER = new RegExp(
  String.raw`[${Object.keys(PUNCTUATION).join('')}“”„‟«»‹›「」『』〝〞〟《》〈〉﹁﹂﹃﹄\uff01-\uff5e\uffe0-\uffe6\u249c-\u24e9\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f189}]|\p{Default_Ignorable_Code_Point}|(?![0-9])\p{Nd}`,
  'gu',
);

/**
 * Converts letters, digits and punctuation to ASCII where only their form differs: `Ｂ`, `𝐁` and `Ⓑ`, `４２` and `٤٢`,
 * `答案：` and `「B」`. Other letters, and all characters with their own meaning in mathematics, stay; Unicode is composed
 * (NFC).
 */
export function plainCharacters(text: string): string {
  return text
    .normalize('NFC')
    .replace(/(?<=\p{Nd})，(?=\p{Nd}{3}(?!\p{Nd}))/gu, ',')
    .replace(OTHER, plain);
}

function plain(character: string): string {
  if (Object.hasOwn(PUNCTUATION, character)) return PUNCTUATION[character] ?? '';
  if (UNSEEN.test(character)) return '';
  if (QUOTES.test(character)) return '"';
  const code = character.codePointAt(0) ?? 0;
  // Full-width forms are at a fixed distance from ASCII.
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  const zero = ZEROS.find((one) => code >= one && code <= one + 9);
  if (zero !== undefined) return String(code - zero);
  const row = BOXED_LETTERS.find(([first, last]) => code >= first && code <= last);
  return row ? String.fromCharCode(0x41 + code - row[0]) : character.normalize('NFKC');
}

/** Converts typographic apostrophes, quotation marks and hyphens, which look like those of ASCII: `X‑ray`, `it’s`. */
export function plainMarks(text: string): string {
  return text.replace(/[‘’ʼ]/g, "'").replace(/[“”]/g, '"').replace(/[‐‑]/g, '-');
}

/** Scripts whose words may touch a number. */
const SCRIPTS =
  'Han Hiragana Katakana Hangul Thai Lao Khmer Myanmar Bengali Devanagari Gujarati Gurmukhi Tamil Telugu Kannada Malayalam';
const CLOSE = `[${SCRIPTS.replace(/\w+ ?/g, (script) => `\\p{sc=${script.trim()}}`)}]`;

const CLOSE_TO_NUMBER = new RegExp(String.raw`(?<=${CLOSE})(?=[\d$\\(+-])|(?<=[\d$)}%!])(?=${CLOSE})`, 'gu');

/** Inserts spaces between numbers or formulas and adjacent words: `答案是42。`, `42개`, `৪২টি`, `42'dir`. */
export function apartFromWords(text: string): string {
  return text.replace(CLOSE_TO_NUMBER, ' ').replace(/(?<=\d)['’](?=\p{L}{2})/gu, ' ');
}
