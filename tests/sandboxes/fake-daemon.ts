import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What the daemon answers; undefined: nothing, and the connection stays open. */
type Answer = { status: number; body: object } | undefined;

/**
 * A Docker daemon that answers as the test says, until the test ends.
 * @param answer hears `POST /containers/create`, without the version of the interface and the query.
 */
export async function startFakeDaemon(answer: (call: string) => Answer) {
  const calls: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').replace(/^\/v[\d.]+/, '').replace(/\?.*/, '');
    const call = `${request.method} ${path}`;
    calls.push(call);
    request.resume().on('end', () => {
      const given = answer(call);
      if (given === undefined) return;
      response.writeHead(given.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(given.body));
    });
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { calls, environment: { DOCKER_HOST: `tcp://127.0.0.1:${port}` } };
}
