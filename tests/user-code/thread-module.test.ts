import { Piscina } from 'piscina';
import { expect, onTestFinished, test } from 'vitest';
import { threadModule } from '../../src/user-code/code-pool.js';

test('a thread’s module is imported: one that is ended while it requires it would end the process', async () => {
  const loaded = new URL('./loaded-thread.mjs', import.meta.url);
  const stackIn = async (options: { filename: string; workerData?: unknown }): Promise<string> => {
    const pool = new Piscina({ ...options, maxThreads: 1 });
    onTestFinished(() => pool.destroy());
    return pool.run(null);
  };
  expect(await stackIn(threadModule(loaded))).not.toContain('Require');
  // The pool's own way, which it is to be kept from.
  expect(await stackIn({ filename: loaded.href })).toContain('Require');
});
