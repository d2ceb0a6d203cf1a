/** Maximum of asides at the end of a reply that are removed. */
const MAX_ASIDES = 20;

/** Line that says how sure a reply is, `Confidence: 95%`, or names a source: `[1] https://…`. */
const LAST_LINE =
  /^[\s(*_#>-]{0,9}(?:(?:confidence|certainty)\b(?! (?:interval|level|limit|coefficient))[^\n:=]{0,30}:|(?:sources?[*_]{0,3}:[\s*_]{1,4}|\d{1,2}\.\s)?(?:\[\d{1,3}\]:?\s[^\n\d]|<?https?:|\[[^\]\n]{1,120}\]\(https?:)|(?:sources?|references?|citations?|footnotes?)[*_:]{0,4}\s*$)/i;

/** Beginning of a last paragraph that is addressed to the reader, or beside the question. */
const REMARK =
  /^[\s(*_#>-]{0,9}(?:note[*_]{0,3}:|(?:would|do) you (?:like|want)\b|shall i\b|let me know\b|(?:please )?feel free\b|(?:i )?hope (?:this|that|it)\b|is there anything\b)/i;

/** Words of a paragraph that comes to a value, whatever it begins with. */
const COMES_TO =
  /\b(?:so|therefore|thus|hence|total is)\b[^\n]*\d|\d\s?[-+*/×÷−]\s?[$€£]?\d[\d.,]{0,20}\s?=/i;

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
  if (LAST_LINE.test(lines.at(-1) ?? '')) return lines.length - 1;
  const paragraph = lines.findLastIndex((line) => line.trim() === '') + 1;
  const isRemark = REMARK.test(lines[paragraph] ?? '') && !COMES_TO.test(lines.slice(paragraph).join('\n'));
  return isRemark ? paragraph : -1;
}
