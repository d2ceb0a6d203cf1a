import { Readable } from 'node:stream';
import type { ArtifactStore, WriteOptions } from '../../src/storage/artifact-store.js';

export interface MemoryStoreOptions {
  uri?: string;
  /** Called before and after each write; what it throws is what the write fails with. */
  onWrite?: (key: string, when: 'before' | 'after') => void;
}

const bytesOf = (body: Uint8Array | string) => (typeof body === 'string' ? Buffer.from(body) : body);

/** A whole store in memory. Several may lie over the same `objects`, as workers do over the same bucket. */
export class MemoryStore implements ArtifactStore {
  readonly uri: string;

  constructor(
    readonly objects: Map<string, Uint8Array> = new Map(),
    private readonly options: MemoryStoreOptions = {},
    private readonly prefix = '',
  ) {
    this.uri = options.uri ?? 's3://memory/results';
  }

  async read(key: string): Promise<Uint8Array | null> {
    return this.objects.get(this.prefix + key) ?? null;
  }

  async readText(key: string): Promise<string | null> {
    const bytes = await this.read(key);
    return bytes === null ? null : Buffer.from(bytes).toString();
  }

  async readRange(key: string, start: number, length: number): Promise<Uint8Array | null> {
    return (await this.read(key))?.subarray(start, start + length) ?? null;
  }

  async openRead(key: string): Promise<Readable | null> {
    const bytes = await this.read(key);
    return bytes === null ? null : Readable.from([Buffer.from(bytes)]);
  }

  async write(key: string, body: Uint8Array | string, { ifAbsent }: WriteOptions = {}): Promise<boolean> {
    this.options.onWrite?.(key, 'before');
    const isFree = ifAbsent !== true || !this.objects.has(this.prefix + key);
    if (isFree) this.objects.set(this.prefix + key, bytesOf(body));
    this.options.onWrite?.(key, 'after');
    return isFree;
  }

  async writeStream(key: string, source: AsyncIterable<Uint8Array | string>): Promise<{ bytes: number }> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of source) chunks.push(bytesOf(chunk));
    const body = Buffer.concat(chunks);
    await this.write(key, body);
    return { bytes: body.byteLength };
  }

  async *list(prefix: string) {
    const start = this.prefix + prefix;
    for (const key of [...this.objects.keys()].sort()) {
      const bytes = this.objects.get(key)?.byteLength;
      if (key.startsWith(start) && bytes !== undefined) yield { key: key.slice(this.prefix.length), bytes };
    }
  }

  async folders(folder: string): Promise<string[]> {
    const start = this.prefix + (folder === '' ? '' : `${folder}/`);
    const below = [...this.objects.keys()].filter((key) => key.startsWith(start));
    const names = below.map((key) => key.slice(start.length).split('/'));
    return [...new Set(names.flatMap(([name = '', ...rest]) => (rest.length > 0 ? [name] : [])))].sort();
  }

  async delete(keys: string[]): Promise<void> {
    for (const key of keys) this.objects.delete(this.prefix + key);
  }

  async deleteFolder(folder: string): Promise<void> {
    const start = `${this.prefix}${folder}/`;
    for (const key of [...this.objects.keys()]) if (key.startsWith(start)) this.objects.delete(key);
  }

  async sweep(): Promise<void> {}

  async exists(key: string): Promise<boolean> {
    return this.objects.has(this.prefix + key);
  }

  within(prefix: string): ArtifactStore {
    const options = { ...this.options, uri: `${this.uri}/${prefix}` };
    return new MemoryStore(this.objects, options, `${this.prefix}${prefix}/`);
  }
}
