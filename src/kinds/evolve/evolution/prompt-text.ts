/** Room for the note on what was left out; below it there is no note. */
const NOTE_LENGTH = 60;

/**
 * Cuts a text to at most `most` characters: its beginning and its end, with a note between them on how much was left
 * out. `share` is the part of the beginning; a traceback has what matters at its end.
 */
export function clip(text: string, most: number, share = 0.5): string {
  if (text.length <= most) return text;
  if (most < NOTE_LENGTH) return withoutHalves(text.slice(0, Math.max(0, most)));
  const kept = most - NOTE_LENGTH;
  const head = withoutHalves(text.slice(0, Math.ceil(kept * share)));
  const tail = withoutHalves(text.slice(text.length - Math.floor(kept * (1 - share))));
  const note = `\n[... ${text.length - head.length - tail.length} characters left out ...]\n`;
  return `${head}${note}${tail}`;
}

/** Removes halves of a surrogate pair that a cut leaves at the ends. */
function withoutHalves(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/, '').replace(/[\uD800-\uDBFF]$/, '');
}

/** Share of the beginning in what is kept of a log. */
export const LOG_HEAD = 0.25;

/** Returns a fenced block that its content cannot close, whatever runs of backticks are in it. */
export function fenced(content: string, info = ''): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${content.replace(/\n$/, '')}\n${fence}`;
}
