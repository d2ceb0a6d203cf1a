import { parentPort } from 'node:worker_threads';

const block = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A thread of a bundle's code that does what the name of the tool says. */
export default async function obey({ id, asked, port }) {
  parentPort?.postMessage({ begun: id });
  const [name, given] = asked.call.name.split(' ');
  const cancelled = new Promise((resolve) => port.on('message', resolve));
  try {
    if (name === 'hang') block(60_000);
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
    if (name === 'listen') {
      await cancelled;
      return { failure: { kind: 'cancelled', message: 'told to stop' } };
    }
    if (name === 'fail') return { failure: { kind: given, message: 'as asked', stack: 'there' } };
    return { ran: { outcome: name, bytes: asked.before } };
  } finally {
    port.close();
  }
}
