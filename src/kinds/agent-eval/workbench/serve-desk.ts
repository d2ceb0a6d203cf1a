import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvalidInputError } from '../../../config/errors.js';
import { isInfrastructureError } from '../../../contracts/infrastructure-error.js';
import { asError } from '../../../contracts/run-user-code.js';
import { SqlError } from '../../../databases/sql-error.js';
import type { ToolFault } from '../bundles/contracts.js';
import { DESK_PAGE, DESK_SCRIPT, DESK_STYLE } from './desk-page.js';
import { openApiDocument } from './openapi.js';
import type { ToolDesk } from './tool-desk.js';

const HOST = '127.0.0.1';
const MAX_BYTES = 1024 * 1024;
const TOOL = /^\/tools\/([\w-]+)$/;

const STATUS_OF: Readonly<Record<ToolFault, number>> = {
  unknown_tool: 404,
  not_allowed: 403,
  invalid_arguments: 422,
  tool_failed: 409,
};

const FILES: Readonly<Record<string, [type: string, content: string]>> = {
  '/': ['text/html', DESK_PAGE],
  '/desk.css': ['text/css', DESK_STYLE],
  '/desk.js': ['text/javascript', DESK_SCRIPT],
};

/** Error response that says what is wrong with a request. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

interface Answer {
  status: number;
  /** JSON, or the content of one of the page's files. */
  body: unknown;
  type?: string;
}

export interface ServedDesk {
  url: string;
  close(): Promise<void>;
}

/**
 * Refuses requests of other sites' pages, even of one whose host name resolves to this machine: only the app's own page
 * and programs may call tools.
 */
function assertOwn({ headers }: IncomingMessage, port: number): void {
  const hosts = [`${HOST}:${port}`, `localhost:${port}`];
  const isOwnHost = hosts.includes(headers.host ?? '');
  const isOwnOrigin =
    headers.origin === undefined || hosts.some((host) => headers.origin === `http://${host}`);
  if (!isOwnHost || !isOwnOrigin) throw new Refusal(403, 'this app answers its own page only');
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'send application/json');
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Refusal(413, `at most ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Parses the row that a reset names; null for the current one. */
function rowIn(text: string): string | null {
  if (text.trim() === '') return null;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new Refusal(422, `the body is no JSON: ${(error as Error).message}`);
  }
  const { row = null, ...others } = (body ?? {}) as Record<string, unknown>;
  if (Object.keys(others).length === 0 && (row === null || typeof row === 'string')) return row;
  throw new Refusal(422, 'the body is {} or {"row": "…"}');
}

async function answerTo(request: IncomingMessage, desk: ToolDesk): Promise<Answer> {
  const { method = 'GET' } = request;
  const { pathname } = new URL(request.url ?? '/', 'http://desk');
  const tool = TOOL.exec(pathname)?.[1];
  if (method === 'POST' && tool !== undefined) {
    const outcome = await desk.call(tool, await bodyOf(request));
    if (outcome.ok) return { status: 200, body: outcome.value };
    return { status: STATUS_OF[outcome.fault], body: { error: outcome.message } };
  }
  if (method === 'POST' && pathname === '/reset') {
    return { status: 200, body: await desk.reset(rowIn(await bodyOf(request))) };
  }
  if (method !== 'GET')
    throw new Refusal(405, `${method} ${pathname} is not answered; tools are called with POST`);
  if (pathname === '/state') return { status: 200, body: await desk.state() };
  if (pathname === '/openapi.json') {
    const { rows } = await desk.state();
    const { row, registry } = desk.row;
    return {
      status: 200,
      body: openApiDocument({ registry, allowed: row.tools_allowed, row: row.id, rows }),
    };
  }
  const file = Object.hasOwn(FILES, pathname) ? FILES[pathname] : undefined;
  if (file === undefined)
    throw new Refusal(404, `there is no ${pathname}; the page is /, the document /openapi.json`);
  return { status: 200, type: file[0], body: file[1] };
}

function faultOf(error: unknown): Answer {
  if (error instanceof Refusal) return { status: error.status, body: { error: error.message } };
  // The bundle was changed and is invalid now.
  if (error instanceof InvalidInputError || error instanceof SqlError) {
    return { status: 422, body: { error: error.message } };
  }
  const status = isInfrastructureError(error) ? 503 : 500;
  return { status, body: { error: asError(error).message } };
}

function write(response: ServerResponse, { status, body, type }: Answer): void {
  response.writeHead(status, {
    'content-type': `${type ?? 'application/json'}; charset=utf-8`,
    'content-security-policy': "default-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(type === undefined ? JSON.stringify(body) : (body as string));
}

/**
 * Serves the debug app: a page, an OpenAPI document, a POST for each tool, a reset. It listens on this machine only.
 * @param port 0 for a free one
 * @throws InvalidInputError if the port is taken.
 */
export async function serveDesk(desk: ToolDesk, port: number): Promise<ServedDesk> {
  const server = createServer((request, response) => {
    const { port: own } = server.address() as AddressInfo;
    const answer = async () => {
      assertOwn(request, own);
      return answerTo(request, desk);
    };
    void answer()
      .catch(faultOf)
      .then((answered) => write(response, answered));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = ['EADDRINUSE', 'EACCES'].includes(error.code ?? '');
      reject(taken ? new InvalidInputError(`--port ${port}: cannot be used (${error.code})`) : error);
    });
    server.listen(port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
