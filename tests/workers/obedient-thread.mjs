import { existsSync, readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

const SELF = '/proc/thread-self';
const wait = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

/** A grading thread that does what the left side says. */
export default function obey({ id, left, right }) {
  const thread = left !== 'uncounted' && existsSync(SELF) ? readlinkSync(SELF) : null;
  parentPort?.postMessage({ begun: id, thread, processorTime: thread === null ? null : 0 });
  if (left === 'hang' || left === 'uncounted') for (;;);
  if (left === 'fill') for (const all = []; ; ) all.push(new Array(1e6).fill(all.length));
  if (left === 'rest') wait(Number(right));
  if (left === 'exit') process.exit(3);
  if (left === 'throw') throw new Error('no such module');
  return left !== 'differ';
}
