/*
 * Loaded before a program that a test starts (`collect-garbage.ts`): collects its garbage every two seconds, and enters
 * what Node says about a descriptor that nobody has closed in the file that the address of this module names.
 */
import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const entries = new URL(import.meta.url).searchParams.get('entries');
process.on('warning', ({ message }) => {
  if (/garbage collection/.test(message))
    appendFileSync(entries, `${message} (${process.argv.slice(1).join(' ')})\n`);
});

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');
setInterval(gc, 2000).unref();
