import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ModuleTrial } from '../../src/bundles/bundle-modules.js';
import { tryModuleApart } from '../../src/workers/code-trial.js';

/** A thread runs JavaScript. */
const BUILT = pathToFileURL(resolve('dist/workers/trial-thread.js'));

/** Loads a module of a bundle for a trial as a command does that was built. */
export const builtTrial: ModuleTrial = (file, folder, texts) =>
  tryModuleApart(file, folder, texts, { thread: BUILT });
