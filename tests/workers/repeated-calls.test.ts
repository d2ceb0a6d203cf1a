import { once } from 'node:events';
import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { type Client, isGrpcCancelledError } from '@temporalio/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectClient, type Server } from '../../src/workers/connection.js';

const UNAVAILABLE = '14';
const EMPTY_MESSAGE = Buffer.alloc(5);

let server: Http2Server;
let client: Client;
let busy: boolean;
let asked: string[];

/** A server that connects, and may be too busy for everything else. */
beforeEach(async () => {
  [busy, asked] = [true, []];
  server = createServer();
  server.on('stream', (stream, headers) => {
    const method = String(headers[':path']).split('/').at(-1) as string;
    asked.push(method);
    const reply = { ':status': 200, 'content-type': 'application/grpc' };
    if (busy && method !== 'GetSystemInfo') {
      stream.respond({ ...reply, 'grpc-status': UNAVAILABLE }, { endStream: true });
      return;
    }
    stream.respond(reply, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(EMPTY_MESSAGE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = await connectClient({ address, namespace: 'default', options: { address } } as Server);
});
afterEach(() => void server.close());

const question = () => client.workflowService.describeNamespace({ namespace: 'default' });
const asks = () => asked.filter((method) => method === 'DescribeNamespace').length;

test('a question to a busy server is asked again until it is answered', async () => {
  const answer = question();
  await expect.poll(asks).toBeGreaterThan(1);
  busy = false;
  await expect(answer).resolves.toMatchObject({ namespaceInfo: null });
  await client.connection.close();
});

test('one that is to be asked again when the connection is closed ends, and breaks nothing', async () => {
  const answer = question().catch((error: unknown) => error);
  await expect.poll(asks).toBe(1);
  await client.connection.close();
  expect(isGrpcCancelledError(await answer)).toBe(true);
});
