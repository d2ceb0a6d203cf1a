import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadRows } from '../../src/datasets/load.js';
import { collect, fixture, temporaryFolder } from './collect.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface FakeServer {
  origin: string;
  /** What it was asked, with the token it was sent. */
  requests: { path: string; authorization: string | undefined }[];
  handler: Handler;
  close(): void;
}

async function fakeServer(): Promise<FakeServer> {
  const fake = { requests: [], handler: notFound } as unknown as FakeServer;
  const server: Server = createServer((request, response) => {
    fake.requests.push({ path: request.url ?? '', authorization: request.headers.authorization });
    fake.handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fake.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fake.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return fake;
}

const notFound: Handler = (_, response) => response.writeHead(404).end();

const parquet = await readFile(fixture('kinds-zstd.parquet'));

describe('a dataset of the hub', () => {
  let hub: FakeServer;
  let cdn: FakeServer;
  let cache: string;
  /** The file's identity; change it and the hub has a new version. */
  let etag: string;

  beforeEach(async () => {
    [hub, cdn, cache] = await Promise.all([fakeServer(), fakeServer(), temporaryFolder()]);
    etag = '"version-1"';
    const listing = {
      main: {
        train: [fileLink('main', 'train', 0), fileLink('main', 'train', 1)],
        test: [fileLink('main', 'test', 0)],
      },
      other: { test: [fileLink('other', 'test', 0)] },
    };
    hub.handler = (request, response) => {
      const path = request.url ?? '';
      if (path === '/api/datasets/owner/name/parquet') respondJson(response, listing);
      else if (path === '/api/datasets/single/parquet') {
        respondJson(response, { default: { test: [fileLink('main', 'test', 0)] } });
      } else if (path === '/api/datasets/large/parquet') {
        respondJson(response, { default: { 'partial-train': [fileLink('main', 'test', 0)] } });
      } else if (path.startsWith('/api/datasets/owner/name/parquet/')) {
        response.writeHead(302, { location: `/datasets/owner/name/resolve${path.slice(-12)}` }).end();
      } else {
        response
          .writeHead(302, {
            location: `${cdn.origin}/blob${path.slice(-12)}?signature=abc`,
            'x-linked-etag': etag,
          })
          .end();
      }
    };
    cdn.handler = (_, response) => {
      response.writeHead(200, { 'content-length': parquet.length, etag: '"of-a-block"' }).end(parquet);
    };
  });
  afterEach(() => {
    hub.close();
    cdn.close();
  });

  // The hub names its own public address, whatever mirror it is asked through.
  const fileLink = (config: string, split: string, shard: number) =>
    `https://huggingface.co/api/datasets/owner/name/parquet/${config}/${split}/${shard}.parquet`;

  function respondJson(response: ServerResponse, body: unknown) {
    response
      .writeHead(200, { 'content-type': 'application/json', etag: 'W/"list"' })
      .end(JSON.stringify(body));
  }

  function load(
    source: { config?: string; split?: string; name?: string },
    environment: Record<string, string> = {},
    signal?: AbortSignal,
    notify?: (sentence: string) => void,
  ) {
    const { name = 'owner/name', ...rest } = source;
    return collect(
      loadRows(
        { hf_name: name, ...rest },
        {
          environment: { HF_ENDPOINT: hub.origin, REPRISE_CACHE_DIR: cache, ...environment },
          retryPauseMs: 1,
          signal,
          notify,
        },
      ),
    );
  }

  test('every parquet file of the split is read, in order', async () => {
    const rows = await load({ config: 'main', split: 'train' });
    expect(rows).toHaveLength(10);
    expect(rows[4]?.text).toBe('last');
    expect(cdn.requests).toHaveLength(2);
  });

  test('the token goes to the endpoint and to no other host', async () => {
    await load({ config: 'main', split: 'test' }, { HF_TOKEN: 'hf_secret\n' });
    expect(hub.requests).toHaveLength(3);
    for (const { authorization } of hub.requests) expect(authorization).toBe('Bearer hf_secret');
    for (const { authorization } of cdn.requests) expect(authorization).toBeUndefined();
    await load({ config: 'main', split: 'test' }, { HUGGING_FACE_HUB_TOKEN: 'hf_older', HF_TOKEN: '' });
    expect(hub.requests.at(-1)?.authorization).toBe('Bearer hf_older');
  });

  test('who waits is told with each failed attempt, and once the hub answers', async () => {
    const { handler } = hub;
    let refusals = 2;
    hub.handler = (request, response) => {
      if (refusals-- > 0) response.writeHead(503).end();
      else handler(request, response);
    };
    const heard: (string | undefined)[] = [];
    const rows = await collect(
      loadRows(
        { hf_name: 'single' },
        {
          environment: { HF_ENDPOINT: hub.origin, REPRISE_CACHE_DIR: cache },
          retryPauseMs: 1,
          onUnreachable: (unreachable) => heard.push(unreachable?.message),
        },
      ),
    );
    expect(rows.length).toBeGreaterThan(0);
    const away = `cannot get ${hub.origin}/api/datasets/single/parquet (dataset.hf_name): it answered 503`;
    expect(heard.slice(0, 3)).toEqual([away, away, undefined]);
    expect(heard.slice(3).every((message) => message === undefined)).toBe(true);
  });

  test('a second run downloads nothing, and a new version is downloaded', async () => {
    const first = await load({ config: 'main', split: 'test' });
    expect(await load({ config: 'main', split: 'test' })).toEqual(first);
    expect(cdn.requests).toHaveLength(1);
    etag = '"version-2"';
    await load({ config: 'main', split: 'test' });
    expect(cdn.requests).toHaveLength(2);
  });

  test('a file without an ETag of the hub is known by that of the host that keeps it', async () => {
    const answer = hub.handler;
    hub.handler = (request, response) => {
      if (!request.url?.startsWith('/datasets/')) return answer(request, response);
      response.writeHead(302, { location: `${cdn.origin}/blob` }).end();
    };
    let version = '"a"';
    let finished = 0;
    cdn.handler = (_, response) => {
      response.writeHead(200, { etag: version });
      response.end(parquet, () => {
        finished += 1;
      });
    };
    await load({ config: 'main', split: 'test' });
    await load({ config: 'main', split: 'test' }, { HF_HUB_OFFLINE: '1' });
    expect(finished).toBe(1);
    version = '"b"';
    await load({ config: 'main', split: 'test' });
    const entries = (await readdir(cache, { recursive: true })).filter((name) => name.endsWith('.data'));
    expect(entries).toHaveLength(3);
  });

  test('a damaged copy in the cache is downloaded again', async () => {
    await load({ config: 'main', split: 'test' });
    const files = (await readdir(cache, { recursive: true })).filter((name) => name.endsWith('.data'));
    for (const name of files) await rm(join(cache, name));
    expect(await load({ config: 'main', split: 'test' })).toHaveLength(5);
  });

  test('offline, the last copy is used and nothing is asked; without one that is said', async () => {
    await load({ config: 'main', split: 'test' });
    const asked = hub.requests.length + cdn.requests.length;
    expect(await load({ config: 'main', split: 'test' }, { HF_HUB_OFFLINE: '1' })).toHaveLength(5);
    expect(hub.requests.length + cdn.requests.length).toBe(asked);
    await expect(load({ config: 'main', split: 'train' }, { HF_HUB_OFFLINE: '1' })).rejects.toThrow(
      /HF_HUB_OFFLINE/,
    );
  });

  test('the only config and the only split need not be named', async () => {
    expect(await load({ name: 'single' })).toHaveLength(5);
    expect(await load({ config: 'other' })).toHaveLength(5);
  });

  test('a part of a split is read where it is named, and said', async () => {
    const said: string[] = [];
    const notify = (sentence: string) => void said.push(sentence);
    expect(await load({ name: 'large', split: 'partial-train' }, {}, undefined, notify)).toHaveLength(5);
    expect(said).toEqual([
      expect.stringMatching(/^large \(dataset\.hf_name\): partial-train .*the rest is no sample\.$/),
    ]);
    expect(await load({ config: 'main', split: 'test' }, {}, undefined, notify)).toHaveLength(5);
    expect(said).toHaveLength(1);
  });

  test.each([
    [
      { name: 'large' },
      'dataset.split',
      'needs a split (dataset.split); there are: partial-train; dataset.split: partial-train reads the first part of',
    ],
    [
      { name: 'large', split: 'train' },
      'dataset.split',
      "no split 'train' (dataset.split); there are: partial-train; ",
    ],
    [{}, 'dataset.config', 'needs a config (dataset.config); there are: main, other'],
    [{ config: 'third' }, 'dataset.config', "no config 'third' (dataset.config); there are: main, other"],
    [{ config: 'main' }, 'dataset.split', 'needs a split (dataset.split); there are: train, test'],
    [
      { config: 'main', split: 'dev' },
      'dataset.split',
      "no split 'dev' (dataset.split); there are: train, test",
    ],
    [{ config: 'main', split: 'test[:9]' }, 'dataset.split', 'use dataset.select.range'],
    [{ name: '../x' }, 'dataset.hf_name', 'is no name of a dataset'],
  ])('%j is refused with what there is', async (source, field, message) => {
    await expect(load(source)).rejects.toMatchObject({
      name: 'DatasetError',
      field,
      retryable: false,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    [401, {}, {}, 'set HF_TOKEN'],
    [401, {}, { HF_TOKEN: 'hf_wrong' }, 'HF_TOKEN is not accepted'],
    [403, { 'x-error-code': 'GatedRepo' }, {}, 'accept its terms at'],
    [404, { 'x-error-message': 'The dataset does not exist' }, {}, 'no such dataset'],
  ])('an answer %i (%j) is final and says what to do', async (status, headers, environment, advice) => {
    hub.handler = (_, response) => response.writeHead(status, headers).end('{}');
    const failure = await load({ split: 'test' }, environment).catch((error) => error);
    expect(failure).toMatchObject({ name: 'DatasetError', field: 'dataset.hf_name', retryable: false });
    expect(failure.message).toContain(advice);
    expect(failure.message).not.toContain('hf_wrong');
    expect(hub.requests).toHaveLength(1);
  });

  test('429, 503 and a broken download are tried again', async () => {
    const answer = hub.handler;
    const troubles = [429, 503];
    hub.handler = (request, response) => {
      const status = troubles.pop();
      if (status === undefined) answer(request, response);
      else response.writeHead(status, { 'retry-after': '0' }).end();
    };
    const whole = cdn.handler;
    let broken = 0;
    cdn.handler = (request, response) => {
      broken += 1;
      if (broken > 2) return whole(request, response);
      response.writeHead(200, { 'content-length': parquet.length });
      response.write(parquet.subarray(0, 100), () => response.destroy());
    };
    expect(await load({ config: 'main', split: 'test' })).toHaveLength(5);
    expect(broken).toBe(3);
    const names = await readdir(cache, { recursive: true });
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('a hub that stays down is an error worth a later retry, after a few attempts', async () => {
    hub.handler = (_, response) => response.writeHead(502).end();
    await expect(load({ split: 'test' })).rejects.toMatchObject({ name: 'DatasetError', retryable: true });
    expect(hub.requests).toHaveLength(5);
    hub.close();
    await expect(load({ split: 'test' })).rejects.toMatchObject({
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('a load that is aborted while it waits ends at once', async () => {
    hub.handler = () => {};
    const signal = AbortSignal.timeout(50);
    await expect(load({ split: 'test' }, {}, signal)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('redirects that never end and an HF_ENDPOINT that is no address are refused', async () => {
    hub.handler = (_, response) => response.writeHead(302, { location: '/again' }).end();
    await expect(load({ split: 'test' })).rejects.toThrow(/redirects more than/);
    await expect(load({ split: 'test' }, { HF_ENDPOINT: 'mirror' })).rejects.toThrow(/HF_ENDPOINT/);
  });

  test('a cache folder that cannot be written is named, with the variable that moves it', async () => {
    await expect(load({ split: 'test' }, { REPRISE_CACHE_DIR: '/dev/null' })).rejects.toThrow(
      /REPRISE_CACHE_DIR/,
    );
  });
});
