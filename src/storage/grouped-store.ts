import { Readable } from 'node:stream';
import {
  type ArtifactStore,
  checkKey,
  checkPrefix,
  compareKeys,
  type ListedArtifact,
  type WriteOptions,
} from './artifact-store.js';
import { Groups } from './groups.js';
import { unitSince } from './in-unit.js';
import { GROUPED_FOLDERS } from './paths.js';
import { keysBelow } from './read-ahead.js';

/** Bytes of an object that is always stored alone. */
const LARGE_BYTES = 64 * 1024;

/** Folder whose small objects may be stored together. */
class GroupedFolder {
  readonly groups: Groups;
  /** Objects that are stored alone, as far as units know; read once. */
  private aloneBefore: Promise<Set<string>> | undefined;

  constructor(
    private readonly store: ArtifactStore,
    readonly name: string,
  ) {
    this.groups = new Groups(store, name);
  }

  /**
   * Reports to a unit whether an object is stored alone, once it is known which are in groups. Such objects are listed
   * once: what is about a unit's work is stored alone by nobody else.
   */
  async isAlone(key: string, since: number): Promise<boolean> {
    await this.groups.know(since);
    return (await this.alone()).has(key);
  }

  /** Reads an object that is stored alone; null if it is not, and what is in groups is known then. */
  async look<Content>(key: string, read: () => Promise<Content | null>): Promise<Content | null> {
    const since = unitSince();
    if (since !== null) return (await this.isAlone(key, since)) ? read() : null;
    const found = await read();
    if (found === null) await this.groups.know(performance.now());
    return found;
  }

  private alone(): Promise<Set<string>> {
    this.aloneBefore ??= keysBelow(this.store, this.name, (key) => !this.groups.isGroup(key)).then(
      (keys) => new Set(keys),
      (error: unknown) => {
        this.aloneBefore = undefined;
        throw error;
      },
    );
    return this.aloneBefore;
  }

  /** Notes an object that was stored alone, or deleted. */
  async note(key: string, isThere: boolean): Promise<void> {
    const known = await this.aloneBefore;
    if (isThere) known?.add(key);
    else known?.delete(key);
  }

  /** Forgets everything, since the folder was deleted. */
  clear(): void {
    this.groups.clear();
    this.aloneBefore = undefined;
  }
}

/**
 * A store whose units write small objects of some folders together with others that are written about now: creating a
 * file for each reply costs more than everything else that is done for a sample. For readers each is an object of its
 * own, wherever it is. One that is stored alone counts before one in a group.
 *
 * What a unit finds missing it believes to be missing, if the groups were listed since it began: nobody else works on it.
 * Others list the groups each time that an object is not stored alone.
 */
export class GroupedStore implements ArtifactStore {
  readonly uri: string;
  private readonly grouped: readonly GroupedFolder[];

  constructor(private readonly bare: ArtifactStore) {
    this.uri = bare.uri;
    this.grouped = GROUPED_FOLDERS.map((folder) => new GroupedFolder(bare, folder));
  }

  async read(key: string): Promise<Uint8Array | null> {
    const folder = this.folderOf(key);
    if (folder === undefined) return this.bare.read(key);
    return (await folder.look(key, () => this.bare.read(key))) ?? folder.groups.read(key);
  }

  async readText(key: string): Promise<string | null> {
    const folder = this.folderOf(key);
    if (folder === undefined) return this.bare.readText(key);
    const alone = await folder.look(key, () => this.bare.readText(key));
    return alone ?? (await folder.groups.read(key))?.toString('utf8') ?? null;
  }

  async readRange(key: string, start: number, length: number): Promise<Uint8Array | null> {
    if (this.folderOf(key) === undefined) return this.bare.readRange(key, start, length);
    return (await this.read(key))?.subarray(start, start + length) ?? null;
  }

  async openRead(key: string): Promise<Readable | null> {
    if (this.folderOf(key) === undefined) return this.bare.openRead(key);
    const bytes = await this.read(key);
    return bytes === null ? null : Readable.from([Buffer.from(bytes)]);
  }

  async exists(key: string): Promise<boolean> {
    const folder = this.folderOf(key);
    if (folder === undefined) return this.bare.exists(key);
    const alone = await folder.look(key, async () => (await this.bare.exists(key)) || null);
    return alone ?? folder.groups.bytesOf(key) !== null;
  }

  async write(key: string, body: Uint8Array | string, options: WriteOptions = {}): Promise<boolean> {
    const folder = this.folderOf(key);
    if (folder === undefined) return this.bare.write(key, body, options);
    const { groups } = folder;
    const since = unitSince();
    const isAlone = since === null || (await folder.isAlone(key, since));
    if (options.ifAbsent) {
      for (let other = groups.inProgress(key); other !== undefined; other = groups.inProgress(key))
        await other.catch(() => undefined);
      if (groups.bytesOf(key) !== null) return false;
    }
    if (!isAlone && Buffer.byteLength(body) < LARGE_BYTES) {
      await groups.write(key, Buffer.from(body as string), options.ifAbsent ? 'first' : 'replaced');
      return true;
    }
    const isWritten = await this.bare.write(key, body, options);
    await folder.note(key, true);
    return isWritten;
  }

  async writeStream(key: string, source: AsyncIterable<Uint8Array | string>): Promise<{ bytes: number }> {
    const written = await this.bare.writeStream(key, source);
    await this.folderOf(key)?.note(key, true);
    return written;
  }

  async *list(prefix: string): AsyncIterable<ListedArtifact> {
    const folder = this.folderBelow(prefix);
    if (folder === undefined) {
      yield* this.bare.list(prefix);
      return;
    }
    checkPrefix(this.uri, prefix);
    const { groups } = folder;
    await groups.know(unitSince() ?? performance.now());
    const together = groups.below(prefix);
    let next = 0;
    for await (const alone of this.bare.list(prefix)) {
      if (groups.isGroup(alone.key)) continue;
      for (let one = together[next]; one !== undefined; one = together[next]) {
        const order = compareKeys(one.key, alone.key);
        if (order > 0) break;
        next += 1;
        if (order < 0) yield one;
      }
      yield alone;
    }
    yield* together.slice(next);
  }

  async folders(folder: string): Promise<string[]> {
    const prefix = `${folder}/`;
    if (this.folderBelow(prefix) === undefined) return this.bare.folders(folder);
    const names = new Set<string>();
    for await (const { key } of this.list(prefix)) {
      const [name = '', ...deeper] = key.slice(prefix.length).split('/');
      if (deeper.length > 0) names.add(name);
    }
    return [...names].sort(compareKeys);
  }

  async delete(keys: string[]): Promise<void> {
    for (const folder of this.grouped) {
      const within = keys.filter((key) => this.folderOf(key) === folder);
      if (within.length === 0) continue;
      await folder.groups.know(unitSince() ?? performance.now());
      await folder.groups.delete(within);
    }
    await this.bare.delete(keys);
    for (const key of keys) await this.folderOf(key)?.note(key, false);
  }

  async deleteFolder(folder: string): Promise<void> {
    const grouped = this.folderBelow(`${folder}/`);
    if (grouped !== undefined && grouped.name !== `${folder}/`) {
      await this.delete(await keysBelow(this, `${folder}/`));
      return;
    }
    await this.bare.deleteFolder(folder);
    for (const one of this.grouped) if (one.name.startsWith(`${folder}/`)) one.clear();
  }

  sweep(): Promise<void> {
    return this.bare.sweep();
  }

  within(prefix: string): ArtifactStore {
    return new GroupedStore(this.bare.within(prefix));
  }

  /** Returns the folder of a key if its objects may be stored together. */
  private folderOf(key: string): GroupedFolder | undefined {
    const folder = this.folderBelow(key);
    if (folder !== undefined) checkKey(this.uri, key);
    return folder;
  }

  private folderBelow(prefix: string): GroupedFolder | undefined {
    return this.grouped.find(({ name }) => prefix.startsWith(name));
  }
}
