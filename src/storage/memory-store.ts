import { Readable } from 'node:stream';
import {
  type ArtifactStore,
  checkKey,
  checkPrefix,
  compareKeys,
  type WriteOptions,
} from './artifact-store.js';

/** Store in the memory of this process, for experiments that leave no files. */
export class MemoryStore implements ArtifactStore {
  /** @param objects by key below the store's address; stores within it share them. */
  constructor(
    readonly uri: string,
    private readonly objects = new Map<string, Buffer>(),
    private readonly prefix = '',
  ) {}

  async read(key: string): Promise<Uint8Array | null> {
    return this.objects.get(this.whole(key)) ?? null;
  }

  async readText(key: string): Promise<string | null> {
    return this.objects.get(this.whole(key))?.toString('utf8') ?? null;
  }

  async readRange(key: string, start: number, length: number): Promise<Uint8Array | null> {
    return this.objects.get(this.whole(key))?.subarray(start, start + length) ?? null;
  }

  async openRead(key: string): Promise<Readable | null> {
    const bytes = this.objects.get(this.whole(key));
    return bytes === undefined ? null : Readable.from([bytes]);
  }

  async write(
    key: string,
    body: Uint8Array | string,
    { ifAbsent = false }: WriteOptions = {},
  ): Promise<boolean> {
    const whole = this.whole(key);
    if (ifAbsent && this.objects.has(whole)) return false;
    this.objects.set(whole, Buffer.from(body));
    return true;
  }

  async writeStream(key: string, source: AsyncIterable<Uint8Array | string>): Promise<{ bytes: number }> {
    const whole = this.whole(key);
    const pieces: Buffer[] = [];
    for await (const piece of source) pieces.push(Buffer.from(piece));
    const bytes = Buffer.concat(pieces);
    this.objects.set(whole, bytes);
    return { bytes: bytes.length };
  }

  async *list(prefix: string) {
    checkPrefix(this.uri, prefix);
    const from = `${this.prefix}${prefix}`;
    const found = [...this.objects].filter(([key]) => key.startsWith(from));
    for (const [key, { length }] of found.sort(([left], [right]) => compareKeys(left, right)))
      yield { key: key.slice(this.prefix.length), bytes: length };
  }

  async folders(folder: string): Promise<string[]> {
    const from = folder === '' ? this.prefix : `${this.whole(folder)}/`;
    const below = [...this.objects.keys()].filter((key) => key.startsWith(from));
    const names = below.map((key) => key.slice(from.length).split('/')).filter(({ length }) => length > 1);
    return [...new Set(names.map(([name = '']) => name))].sort(compareKeys);
  }

  async delete(keys: string[]): Promise<void> {
    for (const key of keys) this.objects.delete(this.whole(key));
  }

  async deleteFolder(folder: string): Promise<void> {
    const from = `${this.whole(folder)}/`;
    for (const key of [...this.objects.keys()]) if (key.startsWith(from)) this.objects.delete(key);
  }

  async sweep(): Promise<void> {}

  async exists(key: string): Promise<boolean> {
    return this.objects.has(this.whole(key));
  }

  within(prefix: string): ArtifactStore {
    checkKey(this.uri, prefix);
    return new MemoryStore(`${this.uri}/${prefix}`, this.objects, `${this.prefix}${prefix}/`);
  }

  private whole(key: string): string {
    checkKey(this.uri, key);
    return `${this.prefix}${key}`;
  }
}
