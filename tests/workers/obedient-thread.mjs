import { parentPort } from 'node:worker_threads';

const wait = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

/** A grading thread that does what the left side says. */
export default function obey({ id, left, right }) {
  parentPort?.postMessage({ begun: id });
  if (left === 'hang') wait(60_000);
  if (left === 'rest') wait(Number(right));
  if (left === 'exit') process.exit(3);
  if (left === 'throw') throw new Error('no such module');
  return left !== 'differ';
}
