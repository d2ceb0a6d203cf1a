import { diffWordsWithSpace } from 'diff';

/** Line in its parts; those that are not in the other line are marked. */
export type LineParts = readonly { text: string; isChanged: boolean }[];

/** Maximum characters of a line that is compared. */
const LONGEST_LINE = 400;
/** Minimum share of characters in common; with fewer, two lines count as different. */
const MIN_COMMON = 0.4;

/**
 * Finds the words that differ between two lines of which one replaced the other. Null where they have too little in
 * common for that to help.
 */
export function changedParts(before: string, after: string): { before: LineParts; after: LineParts } | null {
  if (before.length > LONGEST_LINE || after.length > LONGEST_LINE) return null;
  const changes = diffWordsWithSpace(before, after);
  const common = changes.filter(({ added, removed }) => !added && !removed).map(({ value }) => value);
  if (inked(common.join('')) < MIN_COMMON * Math.max(inked(before), inked(after))) return null;
  const without = (other: 'added' | 'removed'): LineParts =>
    changes
      .filter((change) => !change[other])
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }));
  return { before: without('added'), after: without('removed') };
}

const inked = (text: string) => text.replaceAll(/\s/g, '').length;
