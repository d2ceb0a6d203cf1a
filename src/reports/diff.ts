import { diffArrays, diffWordsWithSpace } from 'diff';

/** Texts of files by relative path. */
export type Files = Readonly<Record<string, string>>;

/** Consecutive lines of the same kind. */
export interface Chunk {
  kind: 'same' | 'added' | 'removed';
  lines: string[];
  /** Number of the first line, from 1: in the earlier file if they were removed, else in the later one. */
  start: number;
}

/** File, compared with its earlier version. */
export interface FileChange {
  path: string;
  /**
   * `only`: there is no earlier version to compare with. `rewritten`: so little of it is left that the file is shown
   * alone, as a difference would only show both one after the other.
   */
  kind: 'only' | 'new' | 'removed' | 'changed' | 'unchanged' | 'rewritten';
  /** In the order in which they are read. */
  chunks: Chunk[];
  /** Number of lines. */
  added: number;
  removed: number;
}

/** Maximum edits in the comparison of two files: 0.1 s of work for files of any length. */
const MAX_EDITS = 1000;
/** Minimum share of lines from the earlier file; with fewer, a file is rewritten. Short ones are shown with both. */
const MIN_KEPT = 0.2;
const SHORT_FILE = 20;

/**
 * Compares files with earlier ones, by lines (Myers, "An O(ND) difference algorithm and its variations", 1986). The main
 * file is first, then the others by name, then those that are gone.
 * @param parent null where there are no earlier files
 */
export function compareFiles(files: Files, parent: Files | null, main?: string): FileChange[] {
  const own = Object.keys(files).sort(
    (left, right) => Number(right === main) - Number(left === main) || (left < right ? -1 : 1),
  );
  const changes = own.map((path): FileChange => {
    const lines = linesOf(files[path] as string);
    if (parent === null) return whole(path, 'only', lines);
    if (!Object.hasOwn(parent, path)) return whole(path, 'new', lines);
    return compareLines(path, lines, linesOf(parent[path] as string));
  });
  const lost = Object.keys(parent ?? {}).filter((path) => !Object.hasOwn(files, path));
  for (const path of lost.sort()) {
    const lines = linesOf(parent?.[path] as string);
    changes.push({
      path,
      kind: 'removed',
      chunks: [chunk('removed', lines, 1)],
      added: 0,
      removed: lines.length,
    });
  }
  return changes;
}

function compareLines(path: string, lines: string[], before: string[]): FileChange {
  const wanted = lines.length > SHORT_FILE ? MIN_KEPT * lines.length : 0;
  const parts =
    inCommon(lines, before) < wanted ? undefined : diffArrays(before, lines, { maxEditLength: MAX_EDITS });
  if (parts === undefined) return whole(path, 'rewritten', lines);
  const chunks = withoutCrumbs(
    parts.map(({ added, removed, value }) => chunk(added ? 'added' : removed ? 'removed' : 'same', value, 0)),
  );
  const [added, removed] = [linesIn(chunks, 'added'), linesIn(chunks, 'removed')];
  if (lines.length - added < wanted) return whole(path, 'rewritten', lines);
  return {
    path,
    kind: added + removed === 0 ? 'unchanged' : 'changed',
    chunks: numbered(chunks),
    added,
    removed,
  };
}

/**
 * Merges blank lines between two changes, which are the same by chance, into the change on both sides, so that a
 * passage reads as what was removed and then what was added.
 */
function withoutCrumbs(chunks: readonly Chunk[]): Chunk[] {
  const kept: Chunk[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    if (removed.length > 0) kept.push(chunk('removed', removed, 0));
    if (added.length > 0) kept.push(chunk('added', added, 0));
    [removed, added] = [[], []];
  };
  for (const [index, { kind, lines }] of chunks.entries()) {
    const isCrumb = index > 0 && index < chunks.length - 1 && lines.every((line) => line.trim() === '');
    if (kind === 'removed') removed = removed.concat(lines);
    else if (kind === 'added') added = added.concat(lines);
    else if (isCrumb && removed.length > 0 && added.length > 0) {
      removed = removed.concat(lines);
      added = added.concat(lines);
    } else {
      flush();
      kept.push(chunk('same', lines, 0));
    }
  }
  flush();
  return kept;
}

function numbered(chunks: readonly Chunk[]): Chunk[] {
  let [own, parents] = [1, 1];
  return chunks.map((one) => {
    const start = one.kind === 'removed' ? parents : own;
    if (one.kind !== 'removed') own += one.lines.length;
    if (one.kind !== 'added') parents += one.lines.length;
    return { ...one, start };
  });
}

/** Counts the lines that two files can have in common at most, in any order. */
function inCommon(lines: readonly string[], before: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of before) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0;
  }).length;
}

function whole(path: string, kind: FileChange['kind'], lines: string[]): FileChange {
  const isNew = kind === 'new';
  return {
    path,
    kind,
    chunks: [chunk(isNew ? 'added' : 'same', lines, 1)],
    added: isNew ? lines.length : 0,
    removed: 0,
  };
}

const chunk = (kind: Chunk['kind'], lines: string[], start: number): Chunk => ({ kind, lines, start });

const linesIn = (chunks: readonly Chunk[], kind: Chunk['kind']) =>
  chunks.reduce((sum, one) => sum + (one.kind === kind ? one.lines.length : 0), 0);

/** Splits a text into lines as Python does, without the end of the last one. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

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
