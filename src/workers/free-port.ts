import { connect, createServer } from 'node:net';

/** Only address that an embedded server listens at. */
export const HOST = '127.0.0.1';

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}

/** Returns the first preferred port that is free at 127.0.0.1, or any free one. It may be taken a moment later. */
export async function freePort(...preferred: (number | undefined)[]): Promise<number> {
  for (const port of preferred) if (port !== undefined && (await isFree(port))) return port;
  return new Promise((resolve) => {
    const server = createServer().listen(0, HOST, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Reports whether a program listens at a port of 127.0.0.1. */
export function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}
