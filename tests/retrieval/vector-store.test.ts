import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Embedder, PaidEmbeddings } from '../../src/contracts/embeddings.js';
import { VectorStore, type VectorStoreOptions } from '../../src/retrieval/vector-store.js';
import { FileStore } from '../../src/storage/file-store.js';
import { embedWords } from '../support/fake-providers/embeddings.js';
import { hash, MemoryFiles, RecordingEmbedder, vectorsFor } from './vector-fakes.js';

const costOf: VectorStoreOptions['costOf'] = (usage) => (usage?.input_tokens ?? 0) / 1000;

let files: MemoryFiles;
let embedder: RecordingEmbedder;
beforeEach(() => {
  files = new MemoryFiles();
  embedder = new RecordingEmbedder();
});

/** A store as another worker would open it, with nothing in its memory. */
function open(options: Partial<VectorStoreOptions> = {}): VectorStore {
  return new VectorStore({ files, embedder, hash, costOf, ...options });
}

const words = (count: number, prefix = 'text') =>
  Array.from({ length: count }, (_, index) => `${prefix} ${index}`);

describe('a vector', () => {
  it('is paid for once, by whichever worker, and comes in the order of the texts', async () => {
    const texts = ['one', 'two', 'one', 'three', 'four'];
    const first = await open().vectorsOf(texts);
    expect(first.vectors).toEqual(vectorsFor(texts));
    expect(first.paid).toEqual({ texts: 4, requests: 2, input_tokens: 40, cost_usd: 0.04, cut: 0 });
    expect(embedder.asked).toEqual([['one', 'two', 'three'], ['four']]);

    const second = await open().vectorsOf(['four', 'five', 'one']);
    expect(second.vectors).toEqual(vectorsFor(['four', 'five', 'one']));
    expect(second.paid).toMatchObject({ texts: 1, requests: 1, input_tokens: 10, cost_usd: 0.01 });
    expect(embedder.asked.slice(2)).toEqual([['five']]);

    const third = await open().vectorsOf(['two']);
    expect(third.paid).toEqual({ texts: 0, requests: 0, input_tokens: 0, cost_usd: 0, cut: 0 });
    expect(await open().vectorsOf([])).toMatchObject({ vectors: [] });
    expect(embedder.asked).toHaveLength(3);
  });

  it('belongs to its model', async () => {
    await open().vectorsOf(['one']);
    const other = new RecordingEmbedder('fake/words dimensions=8');
    other.vectorOf = (text) => embedWords(text, 8);
    const { vectors } = await open({ embedder: other }).vectorsOf(['one']);
    expect(vectors[0]).toHaveLength(8);
    expect((await open().vectorsOf(['one'])).vectors[0]).toHaveLength(16);
    expect([embedder.asked, other.asked]).toEqual([[['one']], [['one']]]);
  });

  it('is asked for once, however many want it at the same time', async () => {
    const store = open();
    const calls = await Promise.all([
      store.vectorsOf(['a', 'b']),
      store.vectorsOf(['b', 'c']),
      store.vectorsOf(['c', 'a']),
      store.vectorsOf(['b']),
    ]);
    expect(embedder.texts.sort()).toEqual(['a', 'b', 'c']);
    expect(calls.map(({ vectors }) => vectors)).toEqual([
      vectorsFor(['a', 'b']),
      vectorsFor(['b', 'c']),
      vectorsFor(['c', 'a']),
      vectorsFor(['b']),
    ]);
    expect(
      calls.map(({ paid }) => paid.texts),
      'each is on the account of one call',
    ).toEqual([2, 1, 0, 0]);
  });

  it('is asked for again where the request that was shared is cancelled', async () => {
    const store = open();
    const controller = new AbortController();
    embedder.before = async (request, { signal }) => {
      if (request > 1) return;
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    };
    const first = store.vectorsOf(['a'], { signal: controller.signal });
    await expect.poll(() => embedder.asked.length).toBe(1);
    const second = store.vectorsOf(['a']);
    controller.abort(new Error('cancelled by its owner'));
    await expect(first).rejects.toThrow('cancelled by its owner');
    expect((await second).vectors).toEqual(vectorsFor(['a']));
    expect(embedder.asked).toEqual([['a'], ['a']]);
  });

  it('is no longer waited for by a call that is cancelled itself', async () => {
    const store = open();
    let release = () => {};
    embedder.before = () => new Promise<void>((resolve) => (release = resolve));
    const first = store.vectorsOf(['a']);
    await expect.poll(() => embedder.asked.length).toBe(1);
    const controller = new AbortController();
    const second = store.vectorsOf(['a'], { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await expect(store.vectorsOf(['b'], { signal: controller.signal })).rejects.toThrow('enough');
    release();
    expect((await first).vectors).toEqual(vectorsFor(['a']));
    expect(embedder.asked).toEqual([['a']]);
  });

  it('that is at hand is neither looked up nor paid for', async () => {
    const store = open();
    const known = new Map([[store.hashOf('a'), Float32Array.from([1, 2])]]);
    const { vectors, paid } = await store.vectorsOf(['a', 'b'], { known });
    expect(vectors).toEqual([Float32Array.from([1, 2]), ...vectorsFor(['b'])]);
    expect(paid.texts).toBe(1);
    expect(files.reads).toBe(1);
  });

  it.each([
    ['cut off', (bytes: Uint8Array) => bytes.subarray(0, bytes.length / 2)],
    ['empty', () => new Uint8Array()],
    ['no JSON', () => new TextEncoder().encode('<html>')],
    ['JSON of another kind', () => new TextEncoder().encode('null')],
    ["another text's", () => files.objects.get([...files.objects.keys()].at(-1) ?? '') ?? new Uint8Array()],
    ['shorter than it says', (bytes: Uint8Array) => change(bytes, { dimensions: 17 })],
    ['no base64', (bytes: Uint8Array) => change(bytes, { vector: '%%%' })],
    ['not of numbers', (bytes: Uint8Array) => change(bytes, { vector: btoa('\0\0\xc0\x7f'.repeat(16)) })],
    ["another model's", (bytes: Uint8Array) => change(bytes, { model: 'fake/other' })],
  ])('whose object is %s is asked for anew', async (_name, spoil) => {
    await open().vectorsOf(['a', 'z']);
    const [key, bytes] = [...files.objects][0] as [string, Uint8Array];
    files.objects.set(key, spoil(bytes));
    const { vectors, paid } = await open().vectorsOf(['a']);
    expect(vectors).toEqual(vectorsFor(['a']));
    expect(paid.texts).toBe(1);
    expect((await open().vectorsOf(['a'])).paid.texts, 'and is kept again').toBe(0);
  });
});

function change(bytes: Uint8Array, fields: object): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify({ ...JSON.parse(new TextDecoder().decode(bytes)), ...fields }),
  );
}

it('A store holds no vector in memory that its files hold', async () => {
  const store = open();
  await store.vectorsOf(['a']);
  files.objects.clear();
  expect((await store.vectorsOf(['a'])).paid.texts).toBe(1);
});

describe('requests', () => {
  it('hold what the limits allow', async () => {
    embedder.limits = { texts: 100, bytes: 12 };
    await open({ concurrentRequests: 1 }).vectorsOf([
      '12345',
      '1234567',
      'ä234567',
      'far too long for one request',
      'x',
    ]);
    expect(embedder.asked).toEqual([
      ['12345', '1234567'],
      ['ä234567'],
      ['far too long for one request'],
      ['x'],
    ]);
  });

  it('are a few at a time, and reads a few more', async () => {
    let [inFlight, most] = [0, 0];
    embedder.before = async () => {
      most = Math.max(most, ++inFlight);
      await Promise.resolve();
      inFlight -= 1;
    };
    await open({ concurrentFiles: 20, concurrentRequests: 3 }).vectorsOf(words(200));
    expect(most).toBe(3);
    expect(files.readsAtOnce).toBe(20);
    expect(files.reads).toBe(200);
  });

  it('that fail keep nothing of theirs, and all of the others', async () => {
    embedder.before = (request) => {
      if (request === 2) throw new Error('HTTP 500');
    };
    const heard: PaidEmbeddings[] = [];
    const onPaid = (paid: PaidEmbeddings) => heard.push(paid);
    const store = open({ concurrentRequests: 1 });
    await expect(store.vectorsOf(words(9), { onPaid })).rejects.toThrow('HTTP 500');
    expect(files.objects.size).toBe(3);
    expect(embedder.asked, 'nothing is begun after a failure').toHaveLength(2);
    const { vectors, paid } = await store.vectorsOf(words(9), { onPaid });
    expect(vectors).toEqual(vectorsFor(words(9)));
    expect(paid.texts).toBe(6);
    expect(heard.map(({ texts }) => texts)).toEqual([3, 3, 3]);
  });

  it('answered with the wrong number of vectors are paid for, but keep nothing', async () => {
    const heard: PaidEmbeddings[] = [];
    const short: Embedder = {
      identity: 'short',
      limits: { texts: 5, bytes: 100 },
      embed: async () => ({
        vectors: [Float32Array.from([1])],
        usage: { input_tokens: 3 },
        requests: 1,
        estimated: 1,
        cut: 0,
      }),
    };
    const call = open({ embedder: short }).vectorsOf(['a', 'b'], { onPaid: (paid) => heard.push(paid) });
    await expect(call).rejects.toThrow('2 texts were given 1 vectors');
    expect(files.objects.size).toBe(0);
    expect(heard).toEqual([
      { texts: 2, requests: 1, estimated: 1, input_tokens: 3, cost_usd: 0.003, cut: 0 },
    ]);
  });

  it('have no known cost where one of them has none', async () => {
    const { paid } = await open({ costOf: (usage) => (usage?.input_tokens === 10 ? null : 1) }).vectorsOf(
      words(7),
    );
    expect(paid).toMatchObject({ requests: 3, cost_usd: null });
    expect((await new VectorStore({ files, embedder, hash }).vectorsOf(['other'])).paid.cost_usd).toBeNull();
  });

  it('count the texts that were cut', async () => {
    expect((await open().vectorsOf(['long one', 'short', 'long two'])).paid.cut).toBe(2);
  });

  it('that a crash cuts off from their files are paid for again, and no others', async () => {
    // The worker dies while it writes the second request's vectors: those of the first are there.
    let written = 0;
    files.writeFault = () => {
      if (++written > 3) throw new Error('killed');
    };
    await expect(open({ concurrentRequests: 1 }).vectorsOf(words(9))).rejects.toThrow('killed');
    files.writeFault = undefined;
    const { paid } = await open({ concurrentRequests: 1 }).vectorsOf(words(9));
    expect(embedder.asked.slice(2)).toEqual([words(9).slice(3, 6), words(9).slice(6)]);
    expect(paid.texts).toBe(6);
  });

  it('are not repeated by a worker that outlives its files', async () => {
    const store = open({ concurrentRequests: 1 });
    files.writeFault = () => {
      throw new Error('no space left');
    };
    await expect(store.vectorsOf(words(3))).rejects.toThrow('no space left');
    files.writeFault = undefined;
    const { vectors, paid } = await store.vectorsOf(words(3));
    expect(vectors).toEqual(vectorsFor(words(3)));
    expect(paid.texts).toBe(0);
    expect(embedder.asked).toHaveLength(1);
    expect(files.objects.size).toBe(3);
  });

  it('serve 10,000 texts', async () => {
    embedder.limits = { texts: 100, bytes: 300_000 };
    const texts = words(10_000);
    expect((await open().vectorsOf(texts)).paid).toMatchObject({ texts: 10_000, requests: 100 });
    const again = await open().vectorsOf(texts);
    expect(again.paid.texts).toBe(0);
    expect(again.vectors[9_999]).toEqual(vectorsFor(['text 9999'])[0]);
  });
});

describe('vectors in a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reprise-vectors-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('are found by the next worker', async () => {
    await open({ files: new FileStore(folder).within('vectors') }).vectorsOf(words(50));
    const { vectors, paid } = await open({ files: new FileStore(folder).within('vectors') }).vectorsOf(
      words(50),
    );
    expect(vectors).toEqual(vectorsFor(words(50)));
    expect(paid.texts).toBe(0);
  });
});
