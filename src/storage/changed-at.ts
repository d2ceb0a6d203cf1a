import { statSync } from 'node:fs';

/** When a file was changed last, in milliseconds since 1970; 0 where there is none. */
export function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
