import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect } from 'vitest';

/*
 * With REPRISE_GC set: collects garbage after every test, and every two seconds in the programs that a test starts. What
 * has a second owner in a finalizer is then closed while others still use it, or its number, and a descriptor that nobody
 * has closed is said by Node.
 */
declare const gc: () => void;

const entries = join(tmpdir(), `reprise-garbage-${process.pid}`);
const preload = new URL(`./collect-often.mjs?entries=${encodeURIComponent(entries)}`, import.meta.url);
process.env.NODE_OPTIONS = `--import ${preload.href}`;

const left: string[] = [];
process.on('warning', ({ message }) => {
  if (/garbage collection/.test(message)) left.push(message);
});

function leftByPrograms(): string[] {
  if (!existsSync(entries)) return [];
  const lines = readFileSync(entries, 'utf8').trim().split('\n');
  rmSync(entries);
  return lines;
}

afterEach(async () => {
  gc();
  await turn();
  await turn();
  expect([...left.splice(0), ...leftByPrograms()]).toEqual([]);
});
