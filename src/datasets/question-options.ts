import { LETTERS } from '../grading/choices.js';

export interface ListedOption {
  value: string;
  /** The option's letter; undefined in a list with dashes, and where a text has none. */
  label?: string;
}

/** Pattern of `(A) red`, `A) red`, `A. red`, `A: red`, alone in its line; lower case only in brackets. */
const LETTERED_LINE = /^[ \t]*(?:[-*•][ \t]*)?(?:\(([A-Za-z])\)|([A-Z])[ \t]?[).:])[ \t]*(\S.*)$/;
const DASHED_LINE = /^[ \t]*[-*•][ \t]+(\S.*)$/;
const HEADING = /^(?:options|choices|answer choices) ?:?$/i;

/**
 * Returns the options that a question lists at its end: lines by letter from A on, or below the line "Options:" with
 * dashes (both as in BIG-Bench Hard). Where a question shows examples first, its own options are the last list.
 * @param where `anywhere`: the text is only options, which may be in one line, as `a ) 38 , b ) 27`.
 * @returns null where it lists fewer than two.
 */
export function optionsIn(text: string, where: 'lines' | 'anywhere' = 'lines'): ListedOption[] | null {
  return inLines(text) ?? (where === 'anywhere' ? inOneLine(text) : null);
}

function inLines(text: string): ListedOption[] | null {
  let last: ListedOption[] | null = null;
  let lettered: ListedOption[] = [];
  let dashed: ListedOption[] | null = null;
  for (const line of text.split(/\r?\n/)) {
    const match = LETTERED_LINE.exec(line);
    const letter = (match?.[1] ?? match?.[2])?.toUpperCase();
    if (letter === 'A') lettered = [];
    if (letter !== undefined && letter === LETTERS[lettered.length]) {
      lettered.push({ value: match?.[3]?.trim() ?? '', label: letter });
      if (lettered.length > 1) last = lettered;
      continue;
    }
    if (HEADING.test(line.trim())) dashed = [];
    else if (dashed !== null) {
      const option = DASHED_LINE.exec(line)?.[1]?.trim();
      if (option !== undefined) dashed.push({ value: option });
      else if (line.trim() !== '') dashed = null;
      if (dashed !== null && dashed.length > 1) last = dashed;
    }
  }
  return last;
}

/** Reads `a ) 38 , b ) 27` or `(A) red (B) green`: each letter is searched after the previous one. */
function inOneLine(text: string): ListedOption[] | null {
  const marks = [...text.matchAll(/(?<=^|[\s,;])\(?([A-Za-z])[ \t]?[).](?=\s|\S)/g)];
  const chosen: { at: number; end: number }[] = [];
  for (const mark of marks) {
    if (mark[1]?.toUpperCase() === LETTERS[chosen.length])
      chosen.push({ at: mark.index, end: mark.index + mark[0].length });
  }
  if (chosen.length < 2) return null;
  return chosen.map(({ end }, index) => ({
    value: text
      .slice(end, chosen[index + 1]?.at)
      .trim()
      .replace(/[ \t]?[,;]$/, ''),
    label: LETTERS[index] as string,
  }));
}
