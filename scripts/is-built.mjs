// Usage: node scripts/is-built.mjs, before the tests. Exit code 0 where dist/ is newer than everything it is made of, so
// that `npm cit`, which has built it while it installed, does not build it again.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MADE_OF = [
  'src',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** The time of the last change in a file or folder, in milliseconds. That of a folder tells of what was removed. */
function changedAt(path) {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  const below = readdirSync(path).map((name) => changedAt(join(path, name)));
  return Math.max(entry.mtimeMs, ...below);
}

/** The last file that a build writes. */
const LAST = 'dist/bundled/entries.json';

try {
  const builtAt = statSync(LAST).mtimeMs;
  process.exitCode = MADE_OF.every((path) => changedAt(path) < builtAt) ? 0 : 1;
} catch {
  process.exitCode = 1;
}
