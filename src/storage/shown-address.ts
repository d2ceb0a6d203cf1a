import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Formats an artifact address for people: a folder as a path, relative where it is below the current one. */
export function shownAddress(address: string): string {
  if (!address.startsWith('file:')) return address;
  const path = fileURLToPath(address);
  const fromHere = relative(process.cwd(), path);
  return fromHere === '' || fromHere.startsWith('..') || isAbsolute(fromHere) ? path : fromHere;
}
