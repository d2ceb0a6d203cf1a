import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { LATE, settle } from '../../src/sandboxes/settle.js';
import { blockEventLoop } from './limits.js';

describe('a promise that is waited for', () => {
  test('is late when its time is over', async () => {
    expect(await settle(new Promise(() => {}), 10)).toBe(LATE);
    expect(await settle(Promise.resolve('value'), 10)).toBe('value');
  });

  test('is not late where its value came in time, and only this process was too busy to take it in', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const near = createConnection(port, '127.0.0.1');
    const [far] = (await once(server, 'connection')) as [Socket];
    const heard = once(near, 'data').then(([data]) => String(data));
    // After this the loop looks at its timers, and only then at its sockets.
    setImmediate(() => {
      far.write('hello');
      blockEventLoop(100);
    });
    try {
      expect(await settle(heard, 20)).toBe('hello');
    } finally {
      near.destroy();
      far.destroy();
      server.close();
    }
  });

  test('ends with the reason of a signal', async () => {
    const controller = new AbortController();
    const waiting = settle(new Promise(() => {}), 10_000, controller.signal);
    controller.abort(new Error('not wanted'));
    await expect(waiting).rejects.toThrow('not wanted');
  });
});
