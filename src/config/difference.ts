import { isDeepStrictEqual } from 'node:util';
import { isMapping } from '../contracts/json.js';

/** The first field in which two values differ, by its dotted path, e.g. `lm.temperature`; null where there is none. */
export function firstDifferentField(one: unknown, other: unknown, path = ''): string | null {
  if (isDeepStrictEqual(one, other)) return null;
  if (!isMapping(one) || !isMapping(other)) return path;
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const inner = firstDifferentField(one[key], other[key], path === '' ? key : `${path}.${key}`);
    if (inner !== null) return inner;
  }
  return path;
}
