import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** What is measured is what users run: the built package. */
export const COMMAND = path('../dist/cli/main.js');
export const CPU_AT_EXIT = path('./measure/cpu-at-exit.cjs');
export const PLAIN_LOOP_CHILD = path('./contestants/plain-loop-child.mjs');
export const PLAIN_ROLLOUTS_CHILD = path('./contestants/plain-rollouts-child.mjs');
export const BUNDLE = path('./bundle');
export const INSPECT_TASK = path('./inspect_task.py');
export const RESULTS = path('./results');
const BUILT = [COMMAND, path('../dist/kinds/run/lane/lane.js'), path('../dist/workflow-bundle.js')];

/** A module of the built package. */
export function builtModule<Module>(name: string): Promise<Module> {
  return import(pathToFileURL(path(`../dist/${name}`)).href);
}

/** A sentence where the package is not built; null where it is. */
export function missingBuild(): string | null {
  const missing = BUILT.find((file) => !existsSync(file));
  return missing === undefined
    ? null
    : `The bench measures the built package, and ${missing} is missing. Build it first: npm run build`;
}
