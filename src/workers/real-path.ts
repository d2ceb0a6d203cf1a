import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

/**
 * Where a path leads once every link is followed. Of what is not there yet, the nearest folder above it is followed.
 * @param path absolute
 * @returns null where a link leads nowhere: what is written through it would be anywhere.
 */
export function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return null;
    const parent = dirname(path);
    if (parent === path) return null;
    const above = realPathOf(parent);
    return above === null ? null : join(above, basename(path));
  }
}

/** The way from a folder to what lies in it; null where that lies elsewhere. Both are real paths. */
export function wayWithin(folder: string, path: string): string[] | null {
  const way = relative(folder, path).split(sep);
  if (way[0] === '..') return null;
  return way.filter((part) => part !== '');
}

/** A path and every folder above it. */
export function* upwardsFrom(path: string): Generator<string> {
  for (let at = path; ; at = dirname(at)) {
    yield at;
    if (dirname(at) === at) return;
  }
}
