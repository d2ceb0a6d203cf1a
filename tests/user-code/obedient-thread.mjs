import { parentPort, threadId } from 'node:worker_threads';

const block = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A thread of users' code that does what it is asked in words. */
export default async function obey({ id, input, port }) {
  parentPort?.postMessage({ begun: id, thread: threadId });
  const [name, given] = input.split(' ');
  const cancelled = new Promise((resolve) => port.on('message', resolve));
  try {
    if (name === 'hang') block(60_000);
    if (name === 'spin') for (;;) await null;
    if (name === 'leftover') {
      setTimeout(block, 20, 60_000);
      return { isBusy: true, thread: threadId };
    }
    if (name === 'late') return { isBusy: given === 'busy', thread: threadId };
    if (name === 'rest') await wait(Number(given));
    if (name === 'exit') process.exit(3);
    if (name === 'stray') {
      setTimeout(() => {
        throw new Error('nobody caught this');
      });
      await wait(60_000);
    }
    if (name === 'later') {
      setTimeout(() => {
        throw new Error('nobody was there any more');
      }, 20);
    }
    if (name === 'noise') {
      for (const message of [null, undefined, 'begun', { begun: 'now' }]) parentPort?.postMessage(message);
    }
    if (name === 'ask') {
      const answered = new Promise((resolve) => {
        port.on('message', (message) => message.answered === 0 && resolve());
      });
      port.postMessage({ called: 'next', given: [], number: 0 });
      await answered;
    }
    if (name === 'listen') {
      await cancelled;
      return { thrown: { kind: 'other', message: 'told to stop' } };
    }
    return { value: name };
  } finally {
    port.close();
  }
}
