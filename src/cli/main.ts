#!/usr/bin/env node
import loadBundled from '../workers/bundled.cjs';

type Program = typeof import('./program.js');

// Put together in a few files by `npm run build`, the program loads in a fifth of the processor time.
const { runProgram } = loadBundled<Program>('program') ?? (await import('./program.js'));
await runProgram();
