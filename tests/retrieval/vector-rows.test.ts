import { describe, expect, it } from 'vitest';
import { EmbeddingIndex } from '../../src/retrieval/embedding-index.js';
import { KeptVectors } from '../../src/retrieval/kept-vectors.js';
import { type HashedVector, readVectors, writeVectors } from '../../src/retrieval/vector-rows.js';
import { VectorStore } from '../../src/retrieval/vector-store.js';
import { jsonLines, readJsonLines } from '../../src/storage/json-lines.js';
import { idsOf } from './support.js';
import { hash, MemoryFiles, RecordingEmbedder, vectorsFor } from './vector-fakes.js';

const MODEL = 'fake/words';

describe('vectors beside a saved memory', () => {
  const texts = ['red fox', 'blue whale', 'größe 三角'];

  const open = (files = new MemoryFiles(), embedder = new RecordingEmbedder()) =>
    new VectorStore({ files, embedder, hash });

  /** The file that is written when these texts were embedded. */
  async function saved(embedded = texts, known = new Map<string, Float32Array>()): Promise<string> {
    const files = new MemoryFiles();
    await open(files).vectorsOf(embedded);
    const kept = new KeptVectors({ files, identity: MODEL, hash });
    let file = '';
    for await (const block of jsonLines(writeVectors(kept.rowsOf([...texts, 'red fox'], known), MODEL)))
      file += block;
    return file;
  }

  async function load(file: string, model = MODEL): Promise<Map<string, Float32Array>> {
    const known = new Map<string, Float32Array>();
    const rows = readJsonLines([Buffer.from(file)] as unknown as AsyncIterable<Uint8Array>);
    for await (const { hash: name, vector } of readVectors(rows, model)) known.set(name, vector);
    return known;
  }

  it('are a row a text, to the last bit', async () => {
    const rows = (await saved())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toHaveLength(3);
    expect(rows[0]).toEqual({
      hash: open().hashOf('red fox'),
      model: MODEL,
      dimensions: 16,
      vector: Buffer.from(vectorsFor(['red fox'])[0]?.buffer ?? new ArrayBuffer(0)).toString('base64'),
    });
    const odd = Float32Array.from([Math.PI, -0, 1e-45, -3.4e38, 0.1]);
    const read: HashedVector[] = [];
    for await (const row of readVectors(writeVectors([{ hash: 'h', vector: odd }], 'm'), 'm')) read.push(row);
    expect(read).toStrictEqual([{ hash: 'h', vector: odd }]);
  });

  it('are of the texts that have one, kept or at hand; the others are left out', async () => {
    const known = new Map([[open().hashOf('größe 三角'), Float32Array.from([1, 2])]]);
    const found = await load(await saved(['red fox'], known));
    expect([...found]).toEqual([
      [open().hashOf('red fox'), vectorsFor(['red fox'])[0]],
      [open().hashOf('größe 三角'), Float32Array.from([1, 2])],
    ]);
  });

  it('spare the next run its requests', async () => {
    const known = await load(await saved());
    expect(known.size).toBe(3);
    const embedder = new RecordingEmbedder();
    const store = open(new MemoryFiles(), embedder);
    const index = new EmbeddingIndex(async (asked) => (await store.vectorsOf(asked, { known })).vectors);
    await index.buildIndex(texts.map((text, id) => ({ id, text })));
    expect(embedder.asked).toEqual([]);
    expect(idsOf(await index.queryTopK('blue', 1))).toEqual([1]);
    expect(embedder.texts).toEqual(['blue']);
  });

  it('are left out where they are another model’s or damaged', async () => {
    const file = await saved();
    expect((await load(file, 'fake/other')).size).toBe(0);
    expect((await load(`${file}{"hash":"x"}\n7\n`)).size).toBe(3);
  });
});
