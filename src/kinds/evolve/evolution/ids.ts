/**
 * Scaffold ids: `0`, `1`, `2` for scaffolds from scratch, `2-0` for the first one evolved from `2`, `2-0-0` for the
 * first one evolved from `2-0`.
 */

/** Next number for each parent; `''` is the key for scaffolds without one. Plain JSON; a number only ever grows. */
export type IdCounters = Readonly<Record<string, number>>;

/** Counters before the first scaffold. */
export const NO_IDS: IdCounters = {};

const ROOT = '';

/** Maximum bytes of a folder's name, which an id is. */
export const LONGEST_SCAFFOLD_ID = 200;

/** Reports whether a text is an id in its only spelling: numbers without leading zeros, joined by `-`. */
export function isScaffoldId(text: string): boolean {
  return text.length <= LONGEST_SCAFFOLD_ID && /^(?:0|[1-9]\d{0,14})(?:-(?:0|[1-9]\d{0,14}))*$/.test(text);
}

/**
 * Takes the next id below a parent, or for a scaffold from scratch where `parent` is null. An id is taken before its
 * scaffold is generated, and stays taken when that fails.
 * @throws RangeError where `parent` is no id, or the new one is longer than {@link LONGEST_SCAFFOLD_ID}.
 */
export function takeScaffoldId(
  counters: IdCounters,
  parent: string | null,
): { id: string; counters: IdCounters } {
  if (parent !== null) checkId(parent);
  const number = counters[parent ?? ROOT] ?? 0;
  const id = parent === null ? String(number) : `${parent}-${number}`;
  checkId(id);
  return { id, counters: { ...counters, [parent ?? ROOT]: number + 1 } };
}

/** Returns the id of a scaffold's parent; null for a scaffold from scratch. */
export function parentOfScaffold(id: string): string | null {
  checkId(id);
  const end = id.lastIndexOf('-');
  return end < 0 ? null : id.slice(0, end);
}

/** Orders ids number by number, a parent before its descendants: 2, 2-0, 2-1, 2-10, 10. */
export function compareScaffoldIds(left: string, right: string): number {
  const [one, other] = [left.split('-'), right.split('-')];
  for (const [index, component] of one.entries()) {
    const against = other[index];
    if (against === undefined) return 1;
    const difference = Number(component) - Number(against);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

function checkId(id: string): void {
  if (!isScaffoldId(id)) throw new RangeError(`${JSON.stringify(id)} is no scaffold id`);
}
