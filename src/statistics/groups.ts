import type { Json, JsonObject } from '../contracts/json.js';

/** Group of what has no value, or an empty one, in a field. */
const MISSING = '(missing)';
/** Maximum characters of a group's name; values that differ beyond it are one group. */
const MAX_NAME = 100;

/** Returns the own value at a dotted path, such as `metadata.level`; a key that is spelled like the path comes first. */
function ownValue(fields: JsonObject, path: string): Json | undefined {
  if (Object.hasOwn(fields, path)) return fields[path];
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const key = path.slice(0, dot);
    const inner = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      const value = ownValue(inner, path.slice(dot + 1));
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

/**
 * Returns the text of a field's value in the first of several mappings that has one, for example a row's metadata and
 * what its environment reports; null where none has, or an empty text. Numbers and booleans are texts, lists and
 * mappings JSON.
 */
export function fieldText(path: string, sources: readonly (JsonObject | undefined)[]): string | null {
  for (const source of sources) {
    const value = source === undefined ? undefined : ownValue(source, path);
    if (value === undefined || value === null) continue;
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    if (text.trim() !== '') return text;
  }
  return null;
}

/** Shortens a group's name, without half of a character at its end. */
function shortened(name: string): string {
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Orders names for people: numbers by size, before texts; {@link MISSING} last. */
function compareNames(left: string, right: string): number {
  if (left === MISSING || right === MISSING) return Number(left === MISSING) - Number(right === MISSING);
  const [first, second] = [Number(left), Number(right)];
  const [isFirst, isSecond] = [!Number.isNaN(first), !Number.isNaN(second)];
  if (isFirst && isSecond && first !== second) return first - second;
  if (isFirst !== isSecond) return isFirst ? -1 : 1;
  return left < right ? -1 : 1;
}

/** Sums of groups by the values of a field. Maps, because a value may be `constructor`. */
export class GroupSums<Sums> {
  private readonly sums = new Map<string, Sums>();

  constructor(private readonly empty: () => Sums) {}

  /** Returns the sums of the group of a value; null is a group of its own. */
  of(value: string | null): Sums {
    const name = value === null ? MISSING : shortened(value);
    const sums = this.sums.get(name) ?? this.empty();
    this.sums.set(name, sums);
    return sums;
  }

  /** True if some value was there. */
  get hasValues(): boolean {
    return this.sums.size > Number(this.sums.has(MISSING));
  }

  /** Returns the groups in the order of their names. */
  inOrder(): [name: string, sums: Sums][] {
    return [...this.sums].sort(([left], [right]) => compareNames(left, right));
  }
}

/** Divides groups into the largest ones, in their order, and the others. */
export function largestGroups<Group>(
  groups: readonly Group[],
  maxGroups: number,
  sizeOf: (group: Group) => number,
): [listed: Group[], left: Group[]] {
  const bySize = [...groups].sort((left, right) => sizeOf(right) - sizeOf(left));
  const listed = new Set(bySize.slice(0, maxGroups));
  return [groups.filter((group) => listed.has(group)), bySize.slice(maxGroups)];
}
