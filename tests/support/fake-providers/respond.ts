import type { ServerResponse } from 'node:http';
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
