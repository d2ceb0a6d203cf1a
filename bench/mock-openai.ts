import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { latencyOf } from './latency.js';
import { replyTo } from './mock-replies.js';

/**
 * An OpenAI-compatible server with the replies of mock-replies.ts. A process of its own, and as light as it can be,
 * because it shares the machine with whom it serves. Prints its base_url as one JSON line.
 *
 * `GET /stats` answers with what it has counted since the last `POST /reset?latency_ms=N`, with `&jitter=1` where
 * each request takes a time of its own.
 */
let model = { latency: 0, jitter: false };
let calls = 0;
let inFlight = 0;
let mostInFlight = 0;
let repeated = 0;
let keys = new Set<string>();

function answer(response: ServerResponse, body: string, number: number): void {
  const message = replyTo(body, number);
  const finish_reason = message.tool_calls === undefined ? 'stop' : 'tool_calls';
  const reply = {
    id: `chatcmpl-${number}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'mock',
    choices: [{ index: 0, message, finish_reason }],
    usage: { prompt_tokens: 40, completion_tokens: 6, total_tokens: 46 },
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://mock');
  if (url.pathname === '/stats') {
    response.end(JSON.stringify({ calls, repeated, in_flight: inFlight, most_in_flight: mostInFlight }));
    return;
  }
  if (url.pathname === '/reset') {
    const latency = Number(url.searchParams.get('latency_ms') ?? 0);
    model = { latency, jitter: url.searchParams.has('jitter') };
    [calls, mostInFlight, repeated, keys] = [0, 0, 0, new Set()];
    response.end('{}');
    return;
  }
  calls += 1;
  const number = calls;
  inFlight += 1;
  mostInFlight = Math.max(mostInFlight, inFlight);
  response.once('close', () => {
    inFlight -= 1;
  });
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const key = request.headers['idempotency-key'] ?? body;
    if (keys.has(String(key))) repeated += 1;
    keys.add(String(key));
    if (model.latency === 0) answer(response, body, number);
    else setTimeout(answer, latencyOf(number, model), response, body, number);
  });
});
// Longer than any pause between two requests of a contestant: a connection is never cut under it.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${port}/v1` })}\n`);
});
