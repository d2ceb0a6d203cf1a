import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { moduleTrialIn } from '../../src/kinds/agent-eval/bundle-code.js';
import type { ModuleTrial } from '../../src/kinds/agent-eval/bundles/bundle-modules.js';
import { CodePool } from '../../src/user-code/code-pool.js';
import type { CodeRunner } from '../../src/user-code/code-runner.js';

/** Threads as a worker has them. As they were built: a thread loads no TypeScript of the package. */
export function newPool(): CodePool {
  const thread = pathToFileURL(resolve('dist/user-code/thread.js'));
  return new CodePool({ thread, grace: 100, megabytes: 256 });
}

let pool: CodePool | undefined;

/** Those of a file's tests: starting threads takes most of a test's time. They keep no process. */
export function builtPool(): CodePool {
  pool ??= newPool();
  return pool;
}

/** Runs users' code in the threads of a pool; nothing is compared for it. */
export function codeIn(threads: CodePool): CodeRunner {
  return { pool: threads, compare: async () => undefined };
}

/** Loads a module of a bundle for a trial as a command does that was built. */
export const builtTrial: ModuleTrial = (file, code) => moduleTrialIn(codeIn(builtPool()))(file, code);
