import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packageFile = createRequire(import.meta.url).resolve('jiti/package.json');

/** What `node` runs a TypeScript file with, as a process of its own. */
export const JITI = join(dirname(packageFile), 'lib/jiti-cli.mjs');
