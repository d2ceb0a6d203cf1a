import { closeSync, openSync } from 'node:fs';
import { processSandbox } from '../../src/sandboxes/process-sandbox.js';
import { LIMITS, program } from './limits.js';

// Run as a process of its own, which may open few files. Prints as one JSON line what became of a program when there was
// none left, and of the next one.

const sandbox = processSandbox({ environment: { PATH: process.env.PATH } });
const run = () => sandbox.run(program(''), { limits: LIMITS });
// Loads what is loaded when it is first needed.
await run();

const open: number[] = [];
try {
  for (;;) open.push(openSync('/dev/null', 'r'));
} catch {
  // No more can be opened.
}
const problem = await sandbox.prepare().catch((error: unknown) => error);
for (const descriptor of open) closeSync(descriptor);
const { name, message, retryable } = problem as Error & { retryable: boolean };
const { status } = await run();
process.stdout.write(`${JSON.stringify({ name, retryable, message, afterwards: status })}\n`);
