import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server that is no provider's, until the test ends, and the headers that it was sent. */
export async function stranger(): Promise<{ host: string; headers: object[] }> {
  const headers: object[] = [];
  const server = createServer((incoming, response) => {
    headers.push(incoming.headers);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, headers };
}
