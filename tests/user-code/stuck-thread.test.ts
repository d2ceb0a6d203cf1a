import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { runningIn } from '../../src/user-code/stuck-thread.js';

const ENDLESS = ['for (;;) await null;', 'for (;;);', '/^(a+)+$/.test("a".repeat(60) + "b");'];

/** A module whose function computes; it sends a message before. */
function moduleOf(code: string): string {
  const begun = "import { parentPort } from 'node:worker_threads'; parentPort.postMessage('begun');";
  const source = `${begun} async function act() {\n${code}\n}\nact();`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

async function threadOf(code: string): Promise<Worker> {
  const thread = new Worker(new URL(moduleOf(code)));
  await once(thread, 'message');
  return thread;
}

test.each(ENDLESS)('%s is found where it stands', async (code) => {
  const thread = await threadOf(code);
  const { place } = await runningIn(thread.threadId, 3000);
  await thread.terminate();
  expect(place).toMatch(/^data:text\/javascript,.*:2$/);
});

// The search steps through such a thread; one that stood still between two steps could not be ended any more.
test('a thread can be ended wherever the search for its code is broken off', {
  timeout: 60_000,
}, async () => {
  for (let patience = 5; patience < 125; patience += 3) {
    const thread = await threadOf(ENDLESS[0] as string);
    await runningIn(thread.threadId, patience);
    await thread.terminate();
  }
});

test('a process exits in the middle of the search', async () => {
  const search = new URL('../../dist/user-code/stuck-thread.js', import.meta.url);
  const program = `
    import { Worker } from 'node:worker_threads';
    import { runningIn } from '${search}';
    const thread = new Worker(new URL(process.argv[1]));
    thread.once('message', () => {
      void runningIn(thread.threadId);
      setTimeout(() => process.exit(3), Number(process.argv[2]));
    });`;
  const exits = [80, 110, 140, 170].map(async (milliseconds) => {
    const given = [moduleOf(ENDLESS[0] as string), String(milliseconds)];
    const node = spawn(process.execPath, ['--input-type=module', '--eval', program, ...given]);
    onTestFinished(() => void node.kill('SIGKILL'));
    expect(await once(node, 'close')).toEqual([3, null]);
  });
  await Promise.all(exits);
});
