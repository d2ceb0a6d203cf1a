/** Matches an opening tag up to the next closing one, without another opening tag between them. */
const BLOCK = /<cheatsheet>((?:(?!<cheatsheet>)[\s\S])*?)<\/cheatsheet>/gi;
/** Matches an opening tag that ends its line. Such a tag opens a block; one within a line may only be mentioned. */
const OPENS_LINES = /<cheatsheet>[ \t]*\r?\n/i;

/**
 * Returns the sheet in a curator's reply: the first `<cheatsheet>` block that is written out. If an opening tag ends its
 * line, tags within lines are only mentioned ("between `<cheatsheet>` and `</cheatsheet>`") and open no block. A block
 * without a closing tag was cut off by the token limit and is ignored, because half a sheet would lose old notes; so
 * would one that says "unchanged" in place of notes. Null if there is no sheet.
 * @param shown the sheet that the curator was shown; a block that repeats it goes behind one that does not.
 */
export function sheetIn(reply: string, shown = ''): string | null {
  const onOwnLines = OPENS_LINES.test(reply);
  const sheets = [...reply.matchAll(BLOCK)]
    .filter(([block]) => !onOwnLines || block.search(OPENS_LINES) === 0)
    .map(([, content = '']) => content.trim())
    .filter((sheet) => !leavesOut(sheet, shown));
  return sheets.find((sheet) => sheet !== shown) ?? sheets[0] ?? null;
}

const STATE = 'unchanged|same|remains?|stays?|keep|kept|retained|preserved|intact|omitted|identical';
const NOTHING = 'none|nothing|not?|na?|null|empty|here|before|above';
/** Words of which whatever stands in place of notes consists. */
const KNOWN = new RegExp(
  `^(?:${[
    STATE,
    NOTHING,
    'previous|prior|existing|current|old|original|earlier|rest|remaining|other|cheatsheet|cheat|sheet|notes?|contents?',
    'entries|entry|version|change[sd]?|the|your|my|all|of|any|in|it|this|a|is|are|was|be|been|has|have|should|to|as|from',
    'for|with|and|yet|so|far|available|need(?:ed|s)|required|necessary|made|below|previously|exactly|brevity|new|updated?',
    'updates|revised|full|complete|entire|whole|add(?:ed)?|additions|goes|go|insert|see|copy',
  ].join('|')})$`,
);
/** Marks of a whole sheet, and of a line, in place of notes. */
const SHEET = new RegExp(
  `\\b(?:${STATE}|${NOTHING})\\b|^[^\\p{L}\\p{N}]*$|^(?:[-*•] *)?[[({<].*[\\])}>.]$`,
  'isu',
);
const LINE = new RegExp(`\\b(?:${STATE}|no changes?)\\b|\\.\\.\\.|…`, 'i');

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const standsIn = (text: string, marks: RegExp) =>
  text.length <= 120 && marks.test(text) && wordsOf(text).every((word) => KNOWN.test(word));

/** Reports whether a sheet only refers to the shown one, or a line does and a fifth of the shown words are missing. */
function leavesOut(sheet: string, shown: string): boolean {
  if (standsIn(sheet, SHEET)) return true;
  if (!sheet.split('\n').some((line) => standsIn(line, LINE))) return false;
  const words = new Set(wordsOf(shown));
  const kept = new Set(wordsOf(sheet).filter((word) => words.has(word)));
  return kept.size < 0.8 * words.size;
}
