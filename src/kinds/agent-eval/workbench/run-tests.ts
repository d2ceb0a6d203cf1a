import { createJiti } from 'jiti';
import * as bundle from '../bundles/index.js';
import * as testing from './try-row.js';

/** Entry of a process that runs tests of a bundle, whose files are its arguments; `node:test` says what became of them. */
const jiti = createJiti(import.meta.url, {
  virtualModules: { 'reprise/bundle': bundle, 'reprise/bundle/testing': testing },
});
for (const file of process.argv.slice(2)) await jiti.import(file);
