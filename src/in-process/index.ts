/** `import { runInProcess } from 'reprise/in-process'`: runs without a server. */
export { loadConfig, resolveConfig } from '../config/load.js';
export type { RunConfig } from '../config/schema.js';
export type { InProcessOptions, InProcessResult } from './options.js';
export { runInProcess } from './run.js';
