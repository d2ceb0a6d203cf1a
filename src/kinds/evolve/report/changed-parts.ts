import { diffWordsWithSpace } from 'diff';

/** A line in its parts; those that are not in the other line are marked. */
export type LineParts = readonly { text: string; isChanged: boolean }[];

/** Lines with more characters are not looked into. */
const LONGEST_LINE = 400;
/** Lines with a smaller share of their characters in common are different lines. */
const LEAST_COMMON = 0.4;

/**
 * What differs, by words, between two lines of which one took the other's place. Null where they have too little in
 * common for that to help.
 */
export function changedParts(before: string, after: string): { before: LineParts; after: LineParts } | null {
  if (before.length > LONGEST_LINE || after.length > LONGEST_LINE) return null;
  const changes = diffWordsWithSpace(before, after);
  const common = changes.filter(({ added, removed }) => !added && !removed).map(({ value }) => value);
  if (inked(common.join('')) < LEAST_COMMON * Math.max(inked(before), inked(after))) return null;
  const without = (other: 'added' | 'removed'): LineParts =>
    changes
      .filter((change) => !change[other])
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }));
  return { before: without('added'), after: without('removed') };
}

const inked = (text: string) => text.replaceAll(/\s/g, '').length;
