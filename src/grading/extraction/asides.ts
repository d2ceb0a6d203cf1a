/** Maximum of asides at the end of a reply that are removed. */
const MAX_ASIDES = 5;

/** Line that says how sure a reply is: `Confidence: 95%`. */
const CONFIDENCE = /^[\s(*_#>-]{0,9}(?:confidence|certainty)\b[^\n:=]{0,30}[:=]/i;

/** Line that begins a list of sources, to the end of the reply. */
const SOURCES = /^[#*_ \t]{0,9}(?:sources?|references?|citations?|footnotes?)[*_]{0,3}(?::|[ \t]*$)/i;

/** Beginning of a last paragraph that is addressed to the reader, or beside the question. */
const REMARK =
  /^[\s(*_#>-]{0,9}(?:note[*_]{0,3}:|(?:would|do) you (?:like|want)\b|shall i\b|let me know\b|(?:please )?feel free\b|(?:i )?hope (?:this|that|it)\b|is there anything\b)/i;

/** Removes what a reply says after its answer about other things, as long as a number comes before it. */
export function withoutAsides(reply: string): string {
  const lines = reply.trimEnd().split('\n');
  for (let asides = 0; asides < MAX_ASIDES; asides++) {
    const start = startOfAside(lines);
    if (!lines.slice(0, Math.max(start, 0)).some((line) => /\d/.test(line))) break;
    lines.length = start;
    while (lines.at(-1)?.trim() === '') lines.pop();
  }
  return lines.join('\n');
}

function startOfAside(lines: string[]): number {
  if (CONFIDENCE.test(lines.at(-1) ?? '')) return lines.length - 1;
  const sources = lines.findLastIndex((line) => SOURCES.test(line));
  if (sources > 0) return sources;
  const paragraph = lines.findLastIndex((line) => line.trim() === '') + 1;
  return REMARK.test(lines[paragraph] ?? '') ? paragraph : -1;
}
