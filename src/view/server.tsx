import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readCompared } from '../activities/compared-experiment.js';
import { compareAll } from '../client/compare.js';
import { control } from '../client/control.js';
import { InvalidInputError } from '../config/errors.js';
import { type Section, sectionHtml } from '../reports/page.js';
import { render } from '../reports/render.js';
import { PAGE_SCRIPT } from '../reports/script.js';
import { PAGE_STYLE } from '../reports/style.js';
import { clusterNamed } from '../statistics/comparison.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { readableJson } from '../storage/json-lines.js';
import { artifactKeys, notesKey } from '../storage/paths.js';
import { StorageError } from '../storage/storage-error.js';
import { unitHref } from './addresses.js';
import { type Experiments, NotThere, type Opened } from './experiments.js';
import type { Live } from './live.js';
import { readNotes } from './notes.js';
import { comparePage, experimentPage, listPage, messagePage, type Page, unitPage } from './pages.js';
import { rowsQuery, selected } from './rows-table.js';
import { VIEW_SCRIPT } from './script.js';
import { VIEW_STYLE } from './style.js';

const HOST = '127.0.0.1';
const MAX_BODY = 256 * 1024;

/** The page may run the server's own script and style alone, and send forms to this server only. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types reprise',
].join('; ');

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  // The address has the token in it, which no other site may learn; a form's origin is sent all the same.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const FILES: Readonly<Record<string, [type: string, content: string]>> = {
  'view.css': ['text/css', `${PAGE_STYLE}${VIEW_STYLE}`],
  'view.js': ['text/javascript', `${PAGE_SCRIPT}${VIEW_SCRIPT}`],
};

/** Artifacts that are handed out as they are. */
const READABLE = /^(report\.html|config\.yaml|metrics\.json|run\.log|memory\.json|lineage\.json)$/;

/** Images of questions, whose type is that of their name: they are checked when they are stored. */
const IMAGE = /^images\/[0-9a-f]{64}\.(png|jpg|gif|webp)$/;

/** A request that is refused, with the status of the answer. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface ViewerOptions {
  experiments: Experiments;
  live: Live;
  /** True if pages may write. */
  write: boolean;
  /** 0 for a free one. */
  port: number;
  /** Asks the errors of an ended experiment again. */
  retry(id: string): Promise<void>;
}

export interface Viewer {
  /** Address of the list of experiments; whoever knows it may use the viewer. */
  url: string;
  close(): Promise<void>;
}

/**
 * Serves the pages of a folder of experiments on this machine's loopback address. Their address has a secret, which
 * other pages and other users of the machine do not know; no cookie is set, since cookies of one port reach another.
 * @throws InvalidInputError if the port is taken.
 */
export async function serveViewer(options: ViewerOptions): Promise<Viewer> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    void answer(request, response, { ...options, port, token }).catch((error) => {
      // The client has gone, or the page broke off: what is there cannot be taken back.
      if (!response.headersSent) response.writeHead(500, HEADERS);
      response.end(error instanceof Error && response.writableEnded ? '' : '\nThe page broke off.');
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = ['EADDRINUSE', 'EACCES'].includes(error.code ?? '');
      reject(taken ? new InvalidInputError(`--port ${options.port}: cannot be used (${error.code})`) : error);
    });
    server.listen(options.port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/${token}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await options.live.close();
    },
  };
}

type Served = ViewerOptions & { token: string };

/** Refuses requests of other sites' pages, even of one whose host name resolves to this machine. */
function assertOwn({ headers, method }: IncomingMessage, port: number): void {
  const hosts = [`${HOST}:${port}`, `localhost:${port}`];
  const origins = hosts.map((host) => `http://${host}`);
  const { host = '', origin, 'sec-fetch-site': site = 'none' } = headers;
  const isOwn =
    hosts.includes(host) &&
    (origin === undefined || origins.includes(origin)) &&
    ['none', 'same-origin'].includes(String(site));
  if (!isOwn) throw new Refusal(403, 'this viewer answers its own pages only');
  if (method !== 'GET' && origin === undefined)
    throw new Refusal(403, 'a form of this viewer says where it is from');
}

function hasToken(given: string, token: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}

async function answer(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  try {
    assertOwn(request, served.port);
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://${HOST}`);
    // Browsers ask for it on their own.
    if (pathname === '/favicon.ico') {
      response.writeHead(204, HEADERS).end();
      return;
    }
    const [, token = '', page = '', ...rest] = pathname.split('/');
    if (!hasToken(token, served.token))
      throw new Refusal(403, 'the address lacks its secret: open the one that reprise view printed');
    if (rest.length > 0) throw new Refusal(404, 'there is no such page');
    if (request.method === 'POST' && page === 'act') return await act(request, response, served);
    if (request.method !== 'GET') throw new Refusal(405, 'pages are read with GET');
    const file = Object.hasOwn(FILES, page) ? FILES[page] : undefined;
    if (file !== undefined) {
      response.writeHead(200, { ...HEADERS, 'content-type': `${file[0]}; charset=utf-8` });
      response.end(file[1]);
      return;
    }
    if (page === 'file') return await sendFile(response, searchParams, served);
    await send(response, 200, await pageOf(page, searchParams, served));
  } catch (error) {
    if (response.headersSent) throw error;
    const { status, message } = refusalOf(error);
    await send(response, status, messagePage(status === 404 ? 'Not there' : 'Not answered', message));
  }
}

function refusalOf(error: unknown): { status: number; message: string } {
  if (error instanceof Refusal) return error;
  if (error instanceof NotThere) return { status: 404, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof InvalidInputError) return { status: 422, message };
  return { status: error instanceof StorageError ? 502 : 500, message };
}

async function pageOf(page: string, search: URLSearchParams, served: Served): Promise<Page> {
  const { experiments, write: isOn } = served;
  const id = search.get('id') ?? '';
  if (page === '') {
    const query = { find: search.get('find') ?? '', sort: search.get('sort') ?? '' };
    return listPage(await experiments.list(), query, experiments.root.uri);
  }
  if (page === 'experiment') {
    const opened = await experiments.open(id);
    const [rows, own, judgements, files] = await Promise.all([
      opened.view.sections === undefined ? experiments.rows(opened) : [],
      opened.view.sections?.(opened.store, (unit, trial) => unitHref(id, unit, trial)) ?? [],
      experiments.judgements(opened),
      presentIn(opened.store),
    ]);
    return experimentPage(opened, rows, own, { query: rowsQuery(search), judgements, files, isOn });
  }
  if (page === 'unit') return unit(await experiments.open(id), search, served);
  if (page === 'compare') {
    const ids = search.getAll('id');
    if (ids.length < 2)
      throw new Refusal(422, 'mark at least two experiments; the first one is the baseline');
    const opened = await Promise.all(ids.map((one) => experiments.open(one)));
    const begun = ({ metrics }: Opened) => metrics?.started_at ?? '9';
    // Of those that are marked in the list, the oldest is the baseline.
    if (search.get('order') === 'started')
      opened.sort((one, other) => begun(one).localeCompare(begun(other)));
    const compared = [];
    for (const { store } of opened) compared.push(await readCompared(store));
    const cluster = clusterNamed(compared.map(({ config }) => config));
    const comparison = compareAll(compared, { cluster }, { vary: [], margin: null });
    return comparePage(
      comparison,
      opened.map(({ id }) => id),
    );
  }
  throw new Refusal(404, 'there is no such page');
}

/** Returns which of the files that a page links to are there: a judgement has no report, a beginning no log. */
async function presentIn(store: ArtifactStore): Promise<string[]> {
  const files = [artifactKeys.report, artifactKeys.config, artifactKeys.log];
  const there = await Promise.all(files.map((key) => store.exists(key)));
  return files.filter((_, index) => there[index]);
}

async function unit(opened: Opened, search: URLSearchParams, served: Served): Promise<Page> {
  const { experiments, live, write: isOn } = served;
  const named = { id: search.get('unit') ?? '', trial: Math.trunc(Number(search.get('trial') ?? 0)) || 0 };
  const { store, view, id } = opened;
  const found = await experiments.unit(opened, named.id, named.trial);
  const client = isOn && opened.isLive ? await live.client() : null;
  const [rows, own, judged, waits] = await Promise.all([
    view.sections === undefined ? experiments.rows(opened) : [],
    view.unitSections?.({
      ...found,
      ...named,
      store,
      hrefOf: (one, trial) => unitHref(id, one, trial),
    }) ?? [],
    judgedSections(opened, named, experiments),
    client !== null && found.row === null ? (view.waits?.(client, id, named) ?? false) : false,
  ]);
  const all = selected(rows, rowsQuery(new URLSearchParams()), []);
  const place = all.findIndex((row) => row.id === named.id && row.trial === named.trial);
  const neighbours = {
    previous: place > 0 ? (all[place - 1] ?? null) : null,
    next: place >= 0 ? (all[place + 1] ?? null) : null,
  };
  return unitPage(opened, found, named, { own, judged, neighbours, waits, isOn });
}

/** Returns what judgements of an experiment say of a unit. */
async function judgedSections(
  opened: Opened,
  { id, trial }: { id: string; trial: number },
  experiments: Experiments,
): Promise<Section[]> {
  const sections: Section[] = [];
  for (const [index, name] of (await experiments.judgements(opened)).entries()) {
    const judgement = await experiments.open(name);
    if (judgement.metrics === null) continue;
    const episode = `${id}/${trial}`;
    const found = await experiments.unit(judgement, episode, 0).catch(() => null);
    if (found === null) continue;
    const hrefOf = (one: string) => unitHref(name, one);
    const unit = { ...found, store: judgement.store, id: episode, trial: 0, hrefOf };
    for (const section of (await judgement.view.unitSections?.(unit)) ?? [])
      sections.push({ ...section, id: `judged-${index}`, heading: `Judged by ${name.split('/').at(-1)}` });
  }
  return sections;
}

async function sendFile(
  response: ServerResponse,
  search: URLSearchParams,
  { experiments }: Served,
): Promise<void> {
  const { store } = await experiments.open(search.get('id') ?? '');
  const path = search.get('path') ?? '';
  const [isImage, extension] = IMAGE.exec(path) ?? [];
  const stream = READABLE.test(path) || isImage ? await store.openRead(path) : null;
  if (stream === null) throw new Refusal(404, 'there is no such file');
  const isReport = path === artifactKeys.report;
  response.writeHead(200, {
    ...HEADERS,
    // A report has a policy of its own, which this one leaves as it is; it stands apart from the viewer's pages.
    'content-security-policy': isReport ? 'sandbox allow-scripts' : `${POLICY}; sandbox`,
    'content-type':
      extension === undefined
        ? `${isReport ? 'text/html' : 'text/plain'}; charset=utf-8`
        : `image/${extension === 'jpg' ? 'jpeg' : extension}`,
  });
  for await (const chunk of stream) response.write(chunk);
  response.end();
}

async function send(response: ServerResponse, status: number, page: Page): Promise<void> {
  response.writeHead(status, {
    ...HEADERS,
    'content-security-policy': POLICY,
    'content-type': 'text/html; charset=utf-8',
  });
  response.write(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${render(<title>{`${page.title} · Reprise`}</title>)}
<link rel="stylesheet" href="./view.css">
<script src="./view.js" defer></script>
</head>
<body${page.isLive ? ' data-live' : ''}>
<a class="skip" href="#main">Skip to the content</a>
`);
  response.write(
    render(
      <>
        {page.trail.length > 0 && (
          <nav class="trail" aria-label="Pages above">
            {page.trail.map(([name, address]) => [
              <a key={address} href={address}>
                {name}
              </a>,
              <span key="/" aria-hidden="true">
                /
              </span>,
            ])}
          </nav>
        )}
        {page.top}
      </>,
    ),
  );
  response.write('\n<main id="main">\n');
  for (const section of page.sections) for await (const piece of sectionHtml(section)) response.write(piece);
  response.end('</main>\n</body>\n</html>\n');
}

/** Carries out what a form asks for, and leads back to the page that it is on. */
async function act(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  if (!served.write) throw new Refusal(403, 'this viewer only reads: start it with reprise view --write');
  const form = await formOf(request);
  const text = (name: string) => form.get(name) ?? '';
  const opened = await served.experiments.open(text('id'));
  const unit = { id: text('unit'), trial: Number(text('trial')) || 0 };
  const what = text('what');
  if (what === 'tags' || what === 'note') await note(opened, unit, form);
  else if (what === 'retry') await served.retry(opened.id);
  else {
    const client = await served.live.client();
    if (client === null) throw new Refusal(409, 'no Temporal server runs: start one with npx reprise dev');
    if (what === 'pause' || what === 'resume' || what === 'stop') await control(client, opened.id, what);
    else if (what === 'reply' && opened.view.reply !== undefined)
      await opened.view.reply(client, opened.id, unit, text('text'));
    else throw new Refusal(422, 'there is no such action');
  }
  const back = form.has('unit')
    ? unitHref(opened.id, unit.id, unit.trial)
    : `./experiment?id=${encodeURIComponent(opened.id)}`;
  response.writeHead(303, { ...HEADERS, location: back });
  response.end();
}

async function note(
  opened: Opened,
  unit: { id: string; trial: number },
  form: URLSearchParams,
): Promise<void> {
  const notes = await readNotes(opened.store);
  if (form.get('what') === 'tags')
    notes.tags = [...new Set((form.get('tags') ?? '').split(',').map((tag) => tag.trim()))].filter(Boolean);
  else {
    const text = form.get('text') ?? '';
    const verdict = { right: true, wrong: false }[form.get('verdict') ?? ''] ?? null;
    notes.notes = notes.notes.filter(({ id, trial }) => id !== unit.id || trial !== unit.trial);
    if (text !== '' || verdict !== null) notes.notes.push({ ...unit, verdict, text });
  }
  await opened.store.write(notesKey(), readableJson(notes));
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? ''))
    throw new Refusal(415, 'send a form');
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY) throw new Refusal(413, `at most ${MAX_BODY} bytes`);
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString('utf8'));
}
