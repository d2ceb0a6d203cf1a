/** An opening tag, the next closing one, and no other opening between them. */
const BLOCK = /<cheatsheet>((?:(?!<cheatsheet>)[\s\S])*?)<\/cheatsheet>/g;
/** An opening tag that ends its line: it opens a block for sure, where one within a line may be spoken of. */
const OPENS_LINES = /<cheatsheet>[ \t]*\r?\n/;

/**
 * The sheet in a curator's reply: the first `<cheatsheet>` block that holds something. Where an opening tag ends its
 * line, others are only spoken of ("between `<cheatsheet>` and `</cheatsheet>`") and open none. A block that is never closed was cut off by the token limit, and is no sheet: half of one would drop what the
 * rest of the old one said. Null where there is none.
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
