import { createJiti } from 'jiti';
import * as bundle from '../bundles/index.js';
import * as testing from './try-row.js';

/** Entry point of a process that runs the test files of a bundle in its arguments; `node:test` reports the results. */
const jiti = createJiti(import.meta.url, {
  virtualModules: { 'reprise/bundle': bundle, 'reprise/bundle/testing': testing },
});
for (const file of process.argv.slice(2)) await jiti.import(file);
