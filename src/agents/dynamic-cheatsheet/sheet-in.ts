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
    .filter((sheet) => !leavesOut(sheet));
  return sheets.find((sheet) => sheet !== shown) ?? sheets[0] ?? null;
}

const words = (text: string) => text.split(' ');
const WHICH = words('previous prior existing current old original earlier rest remaining other');
const SHEET = words('cheatsheet cheat sheet notes note content contents entries entry version');
const STATE = words(
  'unchanged same remain remains stay stays keep kept change changes changed retained preserved intact omitted identical',
);
const NOTHING = words('no not none nothing n null empty here before above');
const KNOWN = new Set([
  ...[...WHICH, ...SHEET, ...STATE, ...NOTHING],
  ...words('the your my all of any in it this a is are was be been has have should to as from for with and'),
  ...words('na yet so far available needed needs required necessary made below previously exactly brevity'),
  ...words(
    'new updated revised full complete entire whole update updates add added additions goes go insert see copy',
  ),
]);

/** Characters of a text that may stand in place of notes. */
const MAX_CHARS = 120;

/** Returns a short text's words if all of them are such as stand in place of notes. */
function standIn(text: string): string[] | null {
  if (text.length > MAX_CHARS) return null;
  const said = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return said.every((word) => KNOWN.has(word)) ? said : null;
}

const has = (said: readonly string[], some: readonly string[]) => said.some((word) => some.includes(word));
const inBrackets = (text: string) => /^(?:[-*•] *)?[[({<].*[\])}>.]$/s.test(text);

/** Reports whether a sheet only refers to notes, as a whole or in a line: "[Previous content remains unchanged]". */
function leavesOut(sheet: string): boolean {
  const said = standIn(sheet);
  const isStandIn =
    said !== null && (said.length === 0 || inBrackets(sheet) || has(said, [...STATE, ...NOTHING, 'na']));
  return isStandIn || sheet.split('\n').some((line) => refersToNotes(line.trim()));
}

function refersToNotes(line: string): boolean {
  const said = standIn(line);
  if (said === null) return false;
  const namesSheet = has(said, WHICH) && has(said, SHEET);
  return has(said, STATE) ? namesSheet || inBrackets(line) : namesSheet && /\.\.\.|…/.test(line);
}
