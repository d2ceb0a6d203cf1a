/** Matches an opening tag up to the next closing one, without another opening tag between them. */
const BLOCK = /<cheatsheet>((?:(?!<cheatsheet>)[\s\S])*?)<\/cheatsheet>/g;
/** Matches an opening tag that ends its line. Such a tag opens a block; one within a line may only be mentioned. */
const OPENS_LINES = /<cheatsheet>[ \t]*\r?\n/;

/**
 * Returns the sheet in a curator's reply: the first `<cheatsheet>` block that is not empty. If an opening tag ends its
 * line, tags within lines are only mentioned ("between `<cheatsheet>` and `</cheatsheet>`") and open no block. A block
 * without a closing tag was cut off by the token limit and is ignored, because half a sheet would lose old notes. Null
 * if there is no sheet.
 */
export function sheetIn(reply: string): string | null {
  const onOwnLines = OPENS_LINES.test(reply);
  for (const [block, content = ''] of reply.matchAll(BLOCK)) {
    if (onOwnLines && block.search(OPENS_LINES) !== 0) continue;
    const sheet = content.trim();
    if (sheet !== '') return sheet;
  }
  return null;
}
