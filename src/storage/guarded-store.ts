import type { Readable } from 'node:stream';
import type { ArtifactStore, ListedArtifact, WriteOptions } from './artifact-store.js';

/** A store for one of several writers of the same objects: it checks before every change whether it may continue. */
export class GuardedStore implements ArtifactStore {
  readonly uri: string;

  /**
   * @param bare the unguarded store.
   * @param assertMayWrite throws where the writer has to stop; receives how much a wrong change destroys.
   */
  constructor(
    readonly bare: ArtifactStore,
    private readonly assertMayWrite: (change: 'small' | 'large') => Promise<void>,
  ) {
    this.uri = bare.uri;
  }

  read(key: string): Promise<Uint8Array | null> {
    return this.bare.read(key);
  }

  readText(key: string): Promise<string | null> {
    return this.bare.readText(key);
  }

  readRange(key: string, start: number, length: number): Promise<Uint8Array | null> {
    return this.bare.readRange(key, start, length);
  }

  openRead(key: string): Promise<Readable | null> {
    return this.bare.openRead(key);
  }

  list(prefix: string): AsyncIterable<ListedArtifact> {
    return this.bare.list(prefix);
  }

  folders(folder: string): Promise<string[]> {
    return this.bare.folders(folder);
  }

  sweep(): Promise<void> {
    return this.bare.sweep();
  }

  exists(key: string): Promise<boolean> {
    return this.bare.exists(key);
  }

  async write(key: string, body: Uint8Array | string, options?: WriteOptions): Promise<boolean> {
    await this.assertMayWrite('small');
    return this.bare.write(key, body, options);
  }

  /** Checks at the end of the source as well: only then does the object become visible. */
  async writeStream(key: string, source: AsyncIterable<Uint8Array | string>): Promise<{ bytes: number }> {
    const { assertMayWrite } = this;
    await assertMayWrite('large');
    return this.bare.writeStream(
      key,
      (async function* () {
        yield* source;
        await assertMayWrite('large');
      })(),
    );
  }

  async delete(keys: string[]): Promise<void> {
    await this.assertMayWrite('large');
    await this.bare.delete(keys);
  }

  async deleteFolder(folder: string): Promise<void> {
    await this.assertMayWrite('large');
    await this.bare.deleteFolder(folder);
  }

  within(prefix: string): ArtifactStore {
    return new GuardedStore(this.bare.within(prefix), this.assertMayWrite);
  }
}
