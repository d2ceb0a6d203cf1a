import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Behaviour, Protocol, RecordedRequest } from './behaviours.js';

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** A JSON object, or undefined where the text is none. */
export function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function* blanks(bytes: number): Generator<Buffer> {
  const block = Buffer.alloc(65_536, ' ');
  for (let left = bytes; left > 0; left -= block.length)
    yield block.subarray(0, Math.min(left, block.length));
}

interface Performance {
  protocol: Protocol;
  latencyMs: number;
  /** An ordinary reply is sent no sooner than this. */
  held: Promise<void> | undefined;
  /** Called when an ordinary reply has been sent completely. */
  onFinished(): void;
}

/** Answers, or does not answer, a request as the behaviour says. */
export function perform(
  behaviour: Behaviour,
  request: RecordedRequest,
  response: ServerResponse,
  { protocol, latencyMs, held, onFinished }: Performance,
): void {
  switch (behaviour.kind) {
    case 'reply': {
      const send = () => {
        response.once('finish', onFinished);
        sendJson(response, 200, protocol.writeReply(behaviour, request));
      };
      if (held !== undefined) held.then(send, () => undefined);
      else if (latencyMs > 0) setTimeout(send, latencyMs);
      else send();
      return;
    }
    case 'status': {
      const { retryAfter } = behaviour;
      sendJson(response, behaviour.status, protocol.writeError(behaviour), {
        ...behaviour.headers,
        ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      });
      return;
    }
    case 'raw':
      response.writeHead(behaviour.status ?? 200, { 'content-type': behaviour.contentType ?? 'text/html' });
      response.end(behaviour.body);
      return;
    case 'flood': {
      const { bytes, packed = false, status = 200 } = behaviour;
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(packed ? { 'content-encoding': 'gzip' } : {}),
      });
      const body = Readable.from(blanks(bytes));
      const sent = packed ? pipeline(body, createGzip(), response) : pipeline(body, response);
      // Whoever has had enough hangs up.
      sent.catch(() => undefined);
      return;
    }
    case 'hang':
    case 'reset': {
      const cut = () => {
        if (behaviour.kind === 'reset') response.socket?.resetAndDestroy();
      };
      if (behaviour.when === 'before_headers') {
        cut();
        return;
      }
      // The client has read the beginning before the connection is cut.
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"half":', () => setTimeout(cut, 20));
      return;
    }
  }
}
