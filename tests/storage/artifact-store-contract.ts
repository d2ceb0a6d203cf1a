import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import type { ArtifactStore, ListedArtifact } from '../../src/storage/artifact-store.js';

export interface ContractSubject {
  /** An empty store of its own for each call. */
  makeStore: () => Promise<ArtifactStore>;
  /** What lies about unfinished: temporary files, multipart uploads. */
  leftovers: (store: ArtifactStore) => Promise<string[]>;
}

export async function listAll(store: ArtifactStore, prefix = ''): Promise<ListedArtifact[]> {
  const found: ListedArtifact[] = [];
  for await (const artifact of store.list(prefix)) found.push(artifact);
  return found;
}

export async function keysOf(store: ArtifactStore, prefix = ''): Promise<string[]> {
  return (await listAll(store, prefix)).map(({ key }) => key);
}

async function* pieces(...values: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* values;
}

/** What every ArtifactStore promises, checked against a real one. */
export function testArtifactStore({ makeStore, leftovers }: ContractSubject): void {
  // Real disks and servers on a busy machine.
  vi.setConfig({ testTimeout: 30_000 });

  test('what was written is read back as bytes, as text and as a stream', async () => {
    const store = await makeStore();
    const body = 'Größe: 3 µm — 好\n';
    expect(await store.write('a/b.txt', body)).toBe(true);
    expect(await store.readText('a/b.txt')).toBe(body);
    expect(Buffer.from((await store.read('a/b.txt')) ?? []).toString()).toBe(body);
    const stream = await store.openRead('a/b.txt');
    expect(stream && (await text(stream))).toBe(body);
  });

  test('a part of an object is read alone, and ends where the object ends', async () => {
    const store = await makeStore();
    await store.write('a/b.txt', 'one two three');
    const part = async (start: number, length: number) =>
      Buffer.from((await store.readRange('a/b.txt', start, length)) ?? []).toString();
    expect([await part(0, 3), await part(4, 3), await part(8, 100)]).toEqual(['one', 'two', 'three']);
    expect(await store.readRange('absent', 0, 1)).toBeNull();
  });

  test('folders are listed by name, without what is in them', async () => {
    const store = await makeStore();
    for (const key of ['b/x', 'a/deep/y', 'a/deep/z', 'a/file', 'file']) await store.write(key, 'x');
    expect(await store.folders('')).toEqual(['a', 'b']);
    expect(await store.folders('a')).toEqual(['deep']);
    expect(await store.folders('absent')).toEqual([]);
    expect(await store.within('a').folders('')).toEqual(['deep']);
  });

  test('bytes that are no text and an empty object survive', async () => {
    const store = await makeStore();
    const bytes = new Uint8Array([0, 255, 13, 10, 26, 128]);
    await store.write('binary', bytes);
    await store.write('empty', '');
    expect(new Uint8Array((await store.read('binary')) ?? [])).toEqual(bytes);
    expect(await store.readText('empty')).toBe('');
    expect(await store.exists('empty')).toBe(true);
  });

  test('an absent object is null to a reader, false to exists and nothing to delete', async () => {
    const store = await makeStore();
    await store.write('folder/present', 'x');
    for (const key of ['absent', 'folder', 'folder/absent', 'no/such/folder/x']) {
      expect(await store.read(key)).toBeNull();
      expect(await store.readText(key)).toBeNull();
      expect(await store.openRead(key)).toBeNull();
      expect(await store.exists(key)).toBe(false);
    }
    await store.delete(['absent', 'folder/absent', 'no/such/folder/x']);
    await store.delete([]);
    expect(await keysOf(store)).toEqual(['folder/present']);
  });

  test('writing again replaces the object', async () => {
    const store = await makeStore();
    await store.write('key', 'a long first version');
    expect(await store.write('key', 'second')).toBe(true);
    expect(await store.readText('key')).toBe('second');
  });

  test('a write with ifAbsent leaves an existing object alone', async () => {
    const store = await makeStore();
    expect(await store.write('once', 'first', { ifAbsent: true })).toBe(true);
    expect(await store.write('once', 'second', { ifAbsent: true })).toBe(false);
    expect(await store.readText('once')).toBe('first');
    expect(await leftovers(store)).toEqual([]);
  });

  test('of 20 concurrent writers with ifAbsent exactly one wins, and its body is there', async () => {
    const store = await makeStore();
    for (let round = 0; round < 5; round += 1) {
      const won = await Promise.all(
        Array.from({ length: 20 }, (_, writer) =>
          store.write(`race/${round}`, `writer ${writer}`, { ifAbsent: true }),
        ),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await store.readText(`race/${round}`)).toBe(`writer ${won.indexOf(true)}`);
    }
    expect(await leftovers(store)).toEqual([]);
  });

  test('a reader of an object that is being replaced sees one whole version', async () => {
    const store = await makeStore();
    const version = (letter: string) => letter.repeat(300_000);
    await store.write('busy', version('a'));
    let writing = true;
    const writer = (async () => {
      for (const letter of 'bcdefgh') await store.write('busy', version(letter));
      writing = false;
    })();
    while (writing) {
      const seen = (await store.readText('busy')) ?? '';
      expect(seen).toBe(version(seen[0] ?? '?'));
    }
    await writer;
  });

  test('a stream is written whole, whatever the size of its pieces', async () => {
    const store = await makeStore();
    expect(await store.writeStream('rows.jsonl', pieces('{"a":1}\n', Buffer.from('{"é":2}\n')))).toEqual({
      bytes: 17,
    });
    expect(await store.readText('rows.jsonl')).toBe('{"a":1}\n{"é":2}\n');
    expect(await store.writeStream('nothing', pieces())).toEqual({ bytes: 0 });
    expect(await store.readText('nothing')).toBe('');
  });

  test('a stream of 20 MB arrives unchanged and becomes visible only at its end', async () => {
    const store = await makeStore();
    const block = randomBytes(1_000_000);
    async function* blocks() {
      for (let index = 0; index < 20; index += 1) {
        if (index === 19) expect(await keysOf(store)).toEqual([]);
        yield block;
      }
    }
    expect(await store.writeStream('large', blocks())).toEqual({ bytes: 20_000_000 });
    expect(await listAll(store)).toEqual([{ key: 'large', bytes: 20_000_000 }]);
    const stream = await store.openRead('large');
    let offset = 0;
    for await (const chunk of stream ?? []) {
      const bytes = chunk as Buffer;
      for (let start = 0; start < bytes.length; ) {
        const from = offset % block.length;
        const length = Math.min(block.length - from, bytes.length - start);
        expect(block.compare(bytes, start, start + length, from, from + length)).toBe(0);
        start += length;
        offset += length;
      }
    }
    expect(offset).toBe(20_000_000);
    expect(await leftovers(store)).toEqual([]);
  });

  test.each([
    ['at once', 0],
    ['within the first part', 1],
    ['after several parts', 20],
  ])('a source that throws %s passes its own error on and leaves nothing behind', async (_, good) => {
    const store = await makeStore();
    const failure = new Error('the source broke');
    async function* broken() {
      for (let index = 0; index < good; index += 1) yield Buffer.alloc(1_000_000);
      throw failure;
    }
    await expect(store.writeStream('never', broken())).rejects.toBe(failure);
    expect(await store.exists('never')).toBe(false);
    expect(await keysOf(store)).toEqual([]);
    expect(await leftovers(store)).toEqual([]);
  });

  test('a listing is sorted by key, whatever folders the keys are in', async () => {
    const store = await makeStore();
    const keys = [
      'a',
      'a-b',
      'a.b',
      'b/a',
      'b/a-1',
      'b/a/c'.replace('/a/', '/aa/'),
      'b-c',
      'b0',
      'b/é',
      'b/z',
      'ab/c',
    ];
    for (const key of keys) await store.write(key, key);
    const sorted = [...keys].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    expect(await keysOf(store)).toEqual(sorted);
    expect((await listAll(store)).map(({ bytes }) => bytes)).toEqual(
      sorted.map((key) => Buffer.byteLength(key)),
    );
  });

  test('a list prefix is matched as a string, within a folder or across folders', async () => {
    const store = await makeStore();
    for (const key of ['parts/run/1', 'parts/run/2', 'parts/run-2/1', 'partial', 'plan.json'])
      await store.write(key, 'x');
    expect(await keysOf(store, 'parts/run/')).toEqual(['parts/run/1', 'parts/run/2']);
    expect(await keysOf(store, 'parts/run')).toEqual(['parts/run-2/1', 'parts/run/1', 'parts/run/2']);
    expect(await keysOf(store, 'part')).toEqual(['partial', 'parts/run-2/1', 'parts/run/1', 'parts/run/2']);
    expect(await keysOf(store, 'nothing/here/')).toEqual([]);
  });

  test('a listing of more than two pages is complete, and so is the deletion of what it lists', async () => {
    const store = await makeStore();
    const keys = Array.from({ length: 2_100 }, (_, index) => `many/${String(index).padStart(4, '0')}`);
    for (let start = 0; start < keys.length; start += 50) {
      await Promise.all(keys.slice(start, start + 50).map((key) => store.write(key, key)));
    }
    expect(await keysOf(store)).toEqual(keys);
    await store.delete([...keys, 'many/absent']);
    expect(await keysOf(store)).toEqual([]);
  }, 60_000);

  test('a folder is deleted whole, and no neighbour whose name begins alike', async () => {
    const store = await makeStore();
    for (const key of ['a/1', 'a/b/2', 'ab', 'a-b/3']) await store.write(key, key);
    await store.deleteFolder('a');
    await store.deleteFolder('absent');
    expect(await keysOf(store)).toEqual(['a-b/3', 'ab']);
    await expect(store.deleteFolder('../a')).rejects.toMatchObject({ code: 'InvalidKey' });
  });

  test('a sub-store sees its own folder and nothing else', async () => {
    const store = await makeStore();
    await store.write('other/secret', 'x');
    const inner = store.within('run-1').within('parts');
    expect(inner.uri).toBe(`${store.uri}/run-1/parts`);
    await inner.write('0.jsonl', 'rows');
    expect(await store.readText('run-1/parts/0.jsonl')).toBe('rows');
    expect(await keysOf(inner)).toEqual(['0.jsonl']);
    await inner.delete(['0.jsonl']);
    expect(await keysOf(store)).toEqual(['other/secret']);
  });

  test.each(['', '/absolute', '../above', 'a/../b', 'a//b', 'a/', './a', 'a\\b', 'a\nb', 'x'.repeat(201)])(
    'the key %j is refused by every operation with a final error',
    async (key) => {
      const store = await makeStore();
      const refused = { name: 'StorageError', code: 'InvalidKey', retryable: false };
      await expect(store.read(key)).rejects.toMatchObject(refused);
      await expect(store.write(key, 'x')).rejects.toMatchObject(refused);
      await expect(store.writeStream(key, pieces('x'))).rejects.toMatchObject(refused);
      await expect(store.delete([key])).rejects.toMatchObject(refused);
      await expect(store.exists(key)).rejects.toMatchObject(refused);
      expect(() => store.within(key)).toThrow(expect.objectContaining(refused));
    },
  );

  test('keys with spaces, colons, quotes, percent signs and other scripts work', async () => {
    const store = await makeStore();
    const keys = ['a b/c:d', 'per%20cent+plus', 'quo"te\'s & <tags>', '数据/é.json', '#?=;,@!$()~`^[]{}|'];
    for (const key of keys) await store.write(key, key);
    for (const key of keys) expect(await store.readText(key)).toBe(key);
    expect((await keysOf(store)).sort()).toEqual([...keys].sort());
    await store.delete(keys);
    expect(await keysOf(store)).toEqual([]);
  });
}
