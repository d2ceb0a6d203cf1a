import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tryModuleApart } from '../../src/workers/code-trial.js';

/** A thread runs JavaScript. */
const BUILT = pathToFileURL(resolve('dist/workers/trial-thread.js'));

/** Loads a module of a bundle for a trial as a command does that was built. */
export const builtTrial = (file: string, folder: string): Promise<string | null> =>
  tryModuleApart(file, folder, { thread: BUILT });
