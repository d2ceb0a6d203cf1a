import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { imageReader } from '../../src/storage/image-reader.js';
import { Chat } from '../../src/trajectories/chat.js';
import type { ImageLimits } from '../../src/trajectories/images.js';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2]);

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function read(source: string, limits: ImageLimits): Promise<string> {
  const chat = new Chat({ messages: [{ role: 'user', content: [{ type: 'image', image: source }] }] });
  const { images, refused } = await chat.extractImages(imageReader, limits);
  return images[0]?.media_type ?? refused[0]?.reason ?? 'nothing';
}

describe('images of the web', () => {
  const hosts = ['127.0.0.1'];

  test('are read, through redirects that stay on the hosts allowed', async () => {
    const address = await serve((request, response) => {
      if (request.url === '/image') response.end(PNG);
      else response.writeHead(302, { location: '/image' }).end();
    });
    expect(await read(`${address}/image`, { hosts })).toBe('image/png');
    expect(await read(`${address}/moved`, { hosts })).toBe('image/png');
  });

  test('are not followed to another host', async () => {
    const asked: string[] = [];
    const other = await serve((request, response) => {
      asked.push(request.url ?? '');
      response.end(PNG);
    });
    const location = `${other.replace('127.0.0.1', 'localhost')}/secret`;
    const address = await serve((_, response) => response.writeHead(302, { location }).end());
    expect(await read(address, { hosts })).toMatch(
      /^redirected to localhost:\d+, where images may not come from$/,
    );
    expect(asked).toEqual([]);
  });

  test('are not followed for ever', async () => {
    const address = await serve((_, response) => response.writeHead(302, { location: '/again' }).end());
    expect(await read(address, { hosts })).toBe('more than 5 redirects');
  });

  test('are given up once they are too large, whatever was announced', async () => {
    let sent = 0;
    const address = await serve((_, response) => {
      const more = () => {
        while (!response.destroyed) {
          sent += 1;
          if (!response.write(Buffer.alloc(65_536))) {
            response.once('drain', more);
            return;
          }
        }
      };
      more();
    });
    expect(await read(address, { hosts, maximumBytes: 100_000 })).toBe('larger than 100000 bytes');
    expect(sent).toBeGreaterThan(1);
  });

  test('that are not there are told by their status', async () => {
    const address = await serve((_, response) => response.writeHead(404).end('gone'));
    expect(await read(address, { hosts })).toBe('status 404');
  });
});

describe('image files', () => {
  async function folders(): Promise<{ allowed: string; other: string }> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'reprise-images-')));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const [allowed, other] = [join(root, 'images'), join(root, 'images-of-others')];
    for (const folder of [allowed, other]) {
      await mkdir(folder);
      await writeFile(join(folder, 'a b.png'), PNG);
    }
    return { allowed, other };
  }

  test('are read in a folder that is allowed', async () => {
    const { allowed } = await folders();
    const path = join(allowed, 'a b.png');
    expect(await read(path, { folders: [allowed] })).toBe('image/png');
    expect(await read(pathToFileURL(path).href, { folders: [allowed] })).toBe('image/png');
  });

  test('are not read elsewhere, nor by a way out', async () => {
    const { allowed, other } = await folders();
    await symlink(join(other, 'a b.png'), join(allowed, 'link.png'));
    const ways = [
      join(other, 'a b.png'),
      `${allowed}/../images-of-others/a b.png`,
      join(allowed, 'link.png'),
    ];
    for (const way of ways) {
      expect(await read(way, { folders: [allowed] })).toBe(
        'the file does not lie in a folder that may be read',
      );
    }
    expect(await read(allowed, { folders: [allowed] })).toBe(
      'the file does not lie in a folder that may be read',
    );
  });

  test('are refused where they are too large, not there, or folders', async () => {
    const { allowed } = await folders();
    await mkdir(join(allowed, 'folder'));
    expect(await read(join(allowed, 'a b.png'), { folders: [allowed], maximumBytes: 9 })).toBe(
      'larger than 9 bytes',
    );
    expect(await read(join(allowed, 'gone.png'), { folders: [allowed] })).toMatch(/ENOENT/);
    expect(await read(join(allowed, 'folder'), { folders: [allowed] })).toBe('not a file');
  });

  test('that are pipes are refused, not waited for', async () => {
    const { allowed } = await folders();
    const pipe = join(allowed, 'pipe.png');
    execFileSync('mkfifo', [pipe]);
    expect(await read(pipe, { folders: [allowed] })).toBe('not a file');
  });

  test('are read where another folder that is allowed is not there', async () => {
    const { allowed } = await folders();
    const both = [join(allowed, 'gone'), allowed];
    expect(await read(join(allowed, 'a b.png'), { folders: both })).toBe('image/png');
  });
});
