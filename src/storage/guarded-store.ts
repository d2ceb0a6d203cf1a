import type { Readable } from 'node:stream';
import type { ArtifactStore, ListedArtifact, WriteOptions } from './artifact-store.js';

/** A store as one of several writers of the same objects sees it: it asks whether it may go on before every change. */
export class GuardedStore implements ArtifactStore {
  readonly uri: string;

  /** @param assertMayWrite throws where the writer has to stop. */
  constructor(
    private readonly store: ArtifactStore,
    private readonly assertMayWrite: () => Promise<void>,
  ) {
    this.uri = store.uri;
  }

  read(key: string): Promise<Uint8Array | null> {
    return this.store.read(key);
  }

  readText(key: string): Promise<string | null> {
    return this.store.readText(key);
  }

  openRead(key: string): Promise<Readable | null> {
    return this.store.openRead(key);
  }

  list(prefix: string): AsyncIterable<ListedArtifact> {
    return this.store.list(prefix);
  }

  exists(key: string): Promise<boolean> {
    return this.store.exists(key);
  }

  async write(key: string, body: Uint8Array | string, options?: WriteOptions): Promise<boolean> {
    await this.assertMayWrite();
    return this.store.write(key, body, options);
  }

  /** Asks when the source has ended, too: an object takes its place only then. */
  async writeStream(key: string, source: AsyncIterable<Uint8Array | string>): Promise<{ bytes: number }> {
    const { assertMayWrite } = this;
    await assertMayWrite();
    return this.store.writeStream(
      key,
      (async function* () {
        yield* source;
        await assertMayWrite();
      })(),
    );
  }

  async delete(keys: string[]): Promise<void> {
    await this.assertMayWrite();
    await this.store.delete(keys);
  }

  async deleteFolder(folder: string): Promise<void> {
    await this.assertMayWrite();
    await this.store.deleteFolder(folder);
  }

  within(prefix: string): ArtifactStore {
    return new GuardedStore(this.store.within(prefix), this.assertMayWrite);
  }
}
