import { createHash } from 'node:crypto';
import type { Embedder, EmbedOptions } from '../../src/contracts/embeddings.js';
import type { VectorFiles } from '../../src/retrieval/kept-vectors.js';
import { embedWords } from '../support/fake-providers/embeddings.js';

export const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** Files in memory that count, and fail on demand. */
export class MemoryFiles implements VectorFiles {
  readonly objects = new Map<string, Uint8Array>();
  reads = 0;
  readsAtOnce = 0;
  writeFault: ((key: string) => void) | undefined;
  private reading = 0;

  async read(key: string): Promise<Uint8Array | null> {
    this.reads += 1;
    this.reading += 1;
    this.readsAtOnce = Math.max(this.readsAtOnce, this.reading);
    await Promise.resolve();
    this.reading -= 1;
    return this.objects.get(key) ?? null;
  }

  async write(key: string, bytes: Uint8Array): Promise<void> {
    await Promise.resolve();
    this.writeFault?.(key);
    this.objects.set(key, bytes);
  }
}

/** An embedder that records its requests, and does what a test wants before it answers. */
export class RecordingEmbedder implements Embedder {
  readonly asked: string[][] = [];
  before: ((request: number, options: EmbedOptions) => Promise<void> | void) | undefined;
  limits = { texts: 3, bytes: 1000 };
  vectorOf: (text: string) => number[] = (text) => embedWords(text, 16);

  constructor(readonly identity = 'fake/words') {}

  async embed(texts: readonly string[], options: EmbedOptions = {}) {
    const request = this.asked.push([...texts]);
    await this.before?.(request, options);
    return {
      vectors: texts.map((text) => Float32Array.from(this.vectorOf(text))),
      usage: { input_tokens: texts.length * 10 },
      estimated: 0,
      requests: 1,
      cut: texts.filter((text) => text.startsWith('long')).length,
    };
  }

  get texts(): string[] {
    return this.asked.flat();
  }
}

/** What the recording embedder answers. */
export const vectorsFor = (texts: readonly string[]) =>
  texts.map((text) => Float32Array.from(embedWords(text, 16)));
