/** An opening tag, the next closing one, and no other opening between them. */
const BLOCK = /<cheatsheet>((?:(?!<cheatsheet>)[\s\S])*?)<\/cheatsheet>/g;

/**
 * The sheet in a curator's reply: the first `<cheatsheet>` block that holds something. A tag that is only spoken of opens
 * none. A block that is never closed was cut off by the token limit, and is no sheet: half of one would drop what the
 * rest of the old one said. Null where there is none.
 */
export function sheetIn(reply: string): string | null {
  for (const [, content = ''] of reply.matchAll(BLOCK)) {
    const sheet = content.trim();
    if (sheet !== '') return sheet;
  }
  return null;
}
