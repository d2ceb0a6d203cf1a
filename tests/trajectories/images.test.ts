import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Chat } from '../../src/trajectories/chat.js';
import { imageTypeOf } from '../../src/trajectories/image-types.js';
import {
  type ImageLimits,
  type ImageReader,
  isAllowedUrl,
  setImageReader,
} from '../../src/trajectories/images.js';

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1];
const JPEG = [0xff, 0xd8, 0xff, 0xe0];

function base64(bytes: readonly number[]): string {
  return btoa(String.fromCharCode(...bytes));
}

/** A reader of a small world, which keeps what it was asked. */
class FakeReader implements ImageReader {
  readonly asked: string[] = [];

  constructor(private readonly world: Readonly<Record<string, readonly number[]>>) {}

  private answer(name: string): Promise<Uint8Array> {
    this.asked.push(name);
    const bytes = this.world[name];
    return bytes === undefined
      ? Promise.reject(new Error('not there'))
      : Promise.resolve(Uint8Array.from(bytes));
  }

  fetchUrl(url: URL): Promise<Uint8Array> {
    return this.answer(url.href);
  }

  readFile(path: string): Promise<Uint8Array> {
    return this.answer(path);
  }
}

async function extract(
  sources: string[],
  world: Record<string, readonly number[]> = {},
  limits: ImageLimits = {},
) {
  const chat = new Chat({
    messages: [
      { role: 'system', content: 'look' },
      { role: 'user', content: sources.map((image) => ({ type: 'image', image })) },
    ],
  });
  const reader = new FakeReader(world);
  const { images, refused } = await chat.extractImages(reader, limits);
  return {
    images: images.map(({ media_type, bytes, message }) => [media_type, bytes.length, message]),
    refused: refused.map(({ reason }) => reason),
    asked: reader.asked,
  };
}

describe('data URLs', () => {
  test('are decoded, and the bytes tell the type', async () => {
    const sources = [`data:image/png;base64,${base64(PNG)}`, `DATA:image/png;name=a;BASE64,${base64(JPEG)}`];
    expect(await extract(sources)).toEqual({
      images: [
        ['image/png', 9, 1],
        ['image/jpeg', 4, 1],
      ],
      refused: [],
      asked: [],
    });
  });

  test.each([
    ['data:image/svg+xml,<svg/>', 'the data URL is not base64'],
    ['data:image/png;base64', 'the data URL is not base64'],
    ['data:image/png;base64,???', 'the data URL is not valid base64'],
    [`data:image/png;base64,${base64([1, 2, 3])}`, 'not an image of a known format'],
    [`data:image/png;base64,${base64([...PNG, ...PNG])}`, 'larger than 10 bytes'],
    [`data:image/png;base64,${'A'.repeat(4_000)}`, 'larger than 10 bytes'],
  ])('%j is refused', async (source, reason) => {
    expect(await extract([source], {}, { maximumBytes: 10 })).toEqual({
      images: [],
      refused: [reason],
      asked: [],
    });
  });

  test('of exactly the limit are read, whatever their padding', async () => {
    for (const size of [9, 10, 11]) {
      const bytes = [...PNG, ...Array<number>(size - PNG.length).fill(7)];
      const { images } = await extract([`data:;base64,${base64(bytes)}`], {}, { maximumBytes: size });
      expect(images).toEqual([['image/png', size, 1]]);
    }
  });
});

describe('http(s) URLs', () => {
  const world = { 'https://img.example.org/a.png': PNG, 'http://a.b.example.net/x': JPEG };

  test('are fetched from hosts that are listed', async () => {
    const { images, refused } = await extract(Object.keys(world), world, {
      hosts: ['IMG.example.org', '*.example.net'],
    });
    expect(images).toHaveLength(2);
    expect(refused).toEqual([]);
  });

  test('are not even asked for elsewhere, nor anywhere by default', async () => {
    const sources = [...Object.keys(world), 'http://169.254.169.254/latest/meta-data'];
    expect((await extract(sources, world)).asked).toEqual([]);
    const { asked, refused } = await extract(sources, world, { hosts: ['img.example.org'] });
    expect(asked).toEqual(['https://img.example.org/a.png']);
    expect(refused).toEqual([
      'host a.b.example.net is not among those that images may come from',
      'host 169.254.169.254 is not among those that images may come from',
    ]);
  });

  test.each([
    ['https://example.org/', ['example.org'], true],
    ['https://EXAMPLE.org:8080/', ['example.org'], true],
    ['https://example.org.evil.net/', ['example.org'], false],
    ['https://evilexample.org/', ['*.example.org'], false],
    ['https://example.org/', ['*.example.org'], false],
    ['https://user:word@example.org/', ['example.org'], false],
    ['ftp://example.org/', ['example.org'], false],
    ['https://example.org/', [], false],
  ])('%s with hosts %j: %s', (url, hosts, allowed) => {
    expect(isAllowedUrl(new URL(url), hosts)).toBe(allowed);
  });
});

describe('files', () => {
  const world = {
    '/images/a b.png': PNG,
    'C:/images/a.png': PNG,
    'images/a.png': PNG,
    '/images/large.png': [...PNG, 0],
  };

  test('are read by URL and by path, where a folder is given', async () => {
    const sources = [
      'file:///images/a%20b.png',
      '/images/a b.png',
      'file:///C:/images/a.png',
      'images/a.png',
    ];
    const { images, asked } = await extract(sources, world, { folders: ['/images'] });
    expect(images).toHaveLength(4);
    expect(asked).toEqual(['/images/a b.png', '/images/a b.png', 'C:/images/a.png', 'images/a.png']);
  });

  test.each([
    ['file:///images/a.png', [], 'no folder is given that files may be read from'],
    ['file://server/images/a.png', ['/images'], 'the file is on another machine'],
    ['s3://bucket/a.png', ['/images'], 's3: URLs are not read'],
    ['/images/gone.png', ['/images'], 'not there'],
    // The reader of these tests knows no limits.
    ['/images/large.png', ['/images'], 'larger than 9 bytes'],
  ])('%s with folders %j is refused', async (source, folders, reason) => {
    expect((await extract([source], world, { folders, maximumBytes: 9 })).refused).toEqual([reason]);
  });
});

test('one that cannot be read does not keep the others from being read, up to the number allowed', async () => {
  const png = `data:;base64,${base64(PNG)}`;
  const { images, refused } = await extract([png, 'ftp://x/', png, png], {}, { maximumImages: 2 });
  expect(images).toHaveLength(2);
  expect(refused).toEqual(['ftp: URLs are not read', 'more than 2 images']);
});

test('both forms of parts are read, a provider’s file is not, and a long source is told in part', async () => {
  const url = `data:;base64,${base64(JPEG)}`;
  const chat = new Chat({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url } },
          { type: 'image_file', image_file: { file_id: 'file-1' } },
          { type: 'image', image: `data:,${'x'.repeat(10_000)}` },
        ],
      },
    ],
  });
  const { images, refused } = await chat.extractImages(new FakeReader({}));
  expect(images).toEqual([
    { bytes: Uint8Array.from(JPEG), media_type: 'image/jpeg', source: url, message: 0 },
  ]);
  expect(refused[0]).toEqual({ source: 'file-1', message: 0, reason: 'a provider stores it under this id' });
  expect(refused[1]?.source).toHaveLength(200);
});

test.each([
  ['image/png', PNG],
  ['image/jpeg', JPEG],
  ['image/gif', [...'GIF89a'].map((letter) => letter.charCodeAt(0))],
  ['image/webp', [...'RIFF1234WEBPVP8'].map((letter) => letter.charCodeAt(0))],
  ['image/bmp', [...'BM12'].map((letter) => letter.charCodeAt(0))],
  ['image/tiff', [0x4d, 0x4d, 0, 0x2a]],
  [null, [...'RIFF1234WAVE'].map((letter) => letter.charCodeAt(0))],
  [null, [...'<svg>'].map((letter) => letter.charCodeAt(0))],
  [null, []],
])('the first bytes tell %s', (type, bytes) => {
  expect(imageTypeOf(Uint8Array.from(bytes))).toBe(type);
});

describe('without a reader of one’s own', () => {
  const chatOf = (...sources: string[]) =>
    new Chat({ messages: [{ role: 'user', content: sources.map((image) => ({ type: 'image', image })) }] });
  const inChat = `data:image/png;base64,${base64(PNG)}`;

  test('what stands in the chat is read, and other images are not', async () => {
    const { images, refused } = await chatOf(inChat, '/tmp/a.png').extractImages();
    expect(images.map(({ media_type }) => media_type)).toEqual(['image/png']);
    expect(refused.map(({ reason }) => reason)).toEqual(['no folder is given that files may be read from']);
    const { refused: unread } = await chatOf('/tmp/a.png').extractImages({ folders: ['/tmp'] });
    expect(unread[0]?.reason).toContain('give a reader');
  });

  test('the package’s entry for Node.js reads files within the folders that are given', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reprise-images-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'a.png'), Uint8Array.from(PNG));
    const entry = await import('../../src/storage/trajectories.js');
    onTestFinished(() =>
      setImageReader({ fetchUrl: () => Promise.reject(), readFile: () => Promise.reject() }),
    );
    const chat = entry.Chat.parse(chatOf(`file://${folder}/a.png`, inChat).toJSON());
    const { images, refused } = await chat.extractImages({ folders: [folder] });
    expect(images.map(({ bytes }) => bytes.length)).toEqual([9, 9]);
    expect(refused).toEqual([]);
    expect((await chat.extractImages(undefined, { folders: [folder] })).images).toHaveLength(2);
    expect((await chat.extractImages()).refused).toHaveLength(1);
  });
});
