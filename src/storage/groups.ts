import { randomBytes } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type ArtifactStore, compareKeys, type ListedArtifact } from './artifact-store.js';
import { padded } from './paths.js';
import { keysBelow, readAhead } from './read-ahead.js';
import { damagedFile, parseJson } from './stored-file.js';

/** How a record came to be: the first of its key, put in the place of another one, or deleted. */
type Change = 'first' | 'replaced' | 'deleted';

/** Entry of a group's first line: key, bytes, time of the change in milliseconds since 1970, change. */
type Entry = [key: string, bytes: number, at: number, change: Change];

interface Group {
  key: string;
  /** Number of the keys whose record is read from it. */
  used: number;
}

/** Where the record of a key is. */
interface Place {
  group: Group;
  start: number;
  bytes: number;
  at: number;
  change: Change;
}

interface Written {
  entry: Entry;
  body: Buffer;
}

/** Milliseconds between two groups while many are written: what comes meanwhile is stored together. */
const WINDOW = 10;
/** Groups of this process, and their bytes, that are merged into one. */
const MERGED_GROUPS = 64;
const MERGED_BYTES = 4 * 2 ** 20;
/** Bytes of the first line that are read at first. */
const HEAD_BYTES = 64 * 1024;
/** Bytes of groups kept in memory, and those of one that is read as a whole. */
const REMEMBERED_BYTES = 8 * 2 ** 20;
const WHOLE_BYTES = HEAD_BYTES;

/**
 * Small objects of a folder that are stored together: a group is one object `groups/<time>-<writer>.jsonl`, whose first
 * line lists what it holds. Groups of a process are merged from time to time, so that there are never many. Of several
 * first records of a key the earliest counts; one that replaces or deletes counts from its time on.
 */
export class Groups {
  private readonly places = new Map<string, Place>();
  private readonly groups = new Map<string, Group>();
  private readonly bodies = new LRUCache<string, Buffer>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength + 1,
  });
  private readonly prefix: string;
  private readonly writer = randomBytes(4).toString('hex');
  /** Time of the newest known change, which the next one exceeds, whatever the clocks say. */
  private newest = 0;
  private listedAt = Number.NEGATIVE_INFINITY;
  private listing: Promise<void> | undefined;
  private waiting: Written[] = [];
  /** Writes in progress by key. */
  private readonly writing = new Map<string, Promise<void>>();
  /** Group that will hold what waits, once it is stored. */
  private next: Promise<void> | undefined;
  /** Ends with the newest group. */
  private stored: Promise<void> = Promise.resolve();
  private storedAt = Number.NEGATIVE_INFINITY;
  /** True if the newest group holds several records: more will come soon. */
  private isCrowded = false;
  /** Groups of this process that are not merged. */
  private own: { group: Group; written: Written[]; bytes: number }[] = [];
  private isMerging = false;

  /** @param folder with a slash at its end */
  constructor(
    private readonly store: ArtifactStore,
    readonly folder: string,
  ) {
    this.prefix = `${folder}groups/`;
  }

  /** Reports whether a key is that of a group. */
  isGroup(key: string): boolean {
    return key.startsWith(this.prefix);
  }

  /** Reads what groups hold, unless they were listed after a time. @param since by `performance.now()` */
  async know(since: number): Promise<void> {
    const latest = Math.min(since, performance.now());
    while (this.listedAt < latest) {
      this.listing ??= this.list().finally(() => {
        this.listing = undefined;
      });
      await this.listing;
    }
  }

  /** Returns the bytes of a key's record; null if it has none. */
  bytesOf(key: string): number | null {
    const place = this.places.get(key);
    return place === undefined || place.change === 'deleted' ? null : place.bytes;
  }

  /** Returns the records whose key begins so, in the order of keys. */
  below(prefix: string): ListedArtifact[] {
    const found: ListedArtifact[] = [];
    for (const [key, { bytes, change }] of this.places)
      if (change !== 'deleted' && key.startsWith(prefix)) found.push({ key, bytes });
    return found.sort((left, right) => compareKeys(left.key, right.key));
  }

  /** Reads the record of a key; null if it has none. */
  async read(key: string): Promise<Buffer | null> {
    for (;;) {
      const place = this.places.get(key);
      if (place === undefined || place.change === 'deleted') return null;
      const { group, start, bytes } = place;
      const body = await this.bytesAt(group.key, start, bytes);
      if (body !== null) return body;
      // It was merged into another group since, or deleted.
      await this.know(performance.now());
      if (this.places.get(key)?.group === group)
        throw damagedFile(this.store, group.key, 'it ends too early');
    }
  }

  /** Returns the write of a key that is in progress. */
  inProgress(key: string): Promise<void> | undefined {
    return this.writing.get(key);
  }

  /** Stores a record, together with those that are written about now. */
  write(key: string, body: Buffer, change: 'first' | 'replaced'): Promise<void> {
    this.wait(key, body, change);
    const stored = this.flush();
    this.writing.set(key, stored);
    const ended = () => {
      if (this.writing.get(key) === stored) this.writing.delete(key);
    };
    stored.then(ended, ended);
    return stored;
  }

  /** Deletes the records of keys; those without one are ignored. */
  async delete(keys: Iterable<string>): Promise<void> {
    const found = [...keys].filter((key) => this.bytesOf(key) !== null);
    if (found.length === 0) return;
    for (const key of found) this.wait(key, Buffer.alloc(0), 'deleted');
    await this.flush();
  }

  /** Forgets everything, since the folder was deleted. */
  clear(): void {
    this.places.clear();
    this.groups.clear();
    this.bodies.clear();
    this.own = [];
  }

  private wait(key: string, body: Buffer, change: Change): void {
    this.newest = Math.max(Date.now(), this.newest + 1);
    this.waiting.push({ entry: [key, body.byteLength, this.newest, change], body });
  }

  /** Stores what waits as the next group, after the one that is being stored. */
  private flush(): Promise<void> {
    if (this.next === undefined) {
      this.next = this.stored.then(() => this.storeNext());
      this.stored = this.next.catch(() => undefined);
    }
    return this.next;
  }

  private async storeNext(): Promise<void> {
    const pause = this.storedAt + WINDOW - performance.now();
    await (this.isCrowded && pause > 0 ? sleep(pause) : setImmediate());
    this.storedAt = performance.now();
    this.next = undefined;
    const written = this.waiting;
    this.waiting = [];
    this.isCrowded = written.length > 1;
    await this.storeGroup(written);
  }

  private async storeGroup(written: Written[]): Promise<void> {
    const [first] = written;
    if (first === undefined) return;
    const group: Group = { key: `${this.prefix}${padded(first.entry[2], 14)}-${this.writer}.jsonl`, used: 0 };
    const bytes = encoded(written);
    await this.store.write(group.key, bytes);
    this.own.push({ group, written, bytes: bytes.byteLength });
    this.keep(group, bytes, written);
    this.mergeMany();
  }

  private keep(group: Group, bytes: Buffer, written: readonly Written[]): void {
    const entries = written.map(({ entry }) => entry);
    this.groups.set(group.key, group);
    if (bytes.byteLength <= WHOLE_BYTES) this.bodies.set(group.key, bytes);
    this.add(group, headLength(bytes), entries);
  }

  private add(group: Group, head: number, entries: readonly Entry[]): void {
    let start = head;
    for (const [key, bytes, at, change] of entries) {
      this.newest = Math.max(this.newest, at);
      const before = this.places.get(key);
      if (before === undefined || counts({ at, change }, before)) {
        if (before !== undefined) before.group.used -= 1;
        group.used += 1;
        this.places.set(key, { group, start, bytes, at, change });
      }
      start += bytes + 1;
    }
  }

  /** Merges the groups of this process once they are many. Where that fails they stay as they are. */
  private mergeMany(): void {
    const bytes = this.own.reduce((sum, group) => sum + group.bytes, 0);
    if (this.isMerging || (this.own.length < MERGED_GROUPS && bytes < MERGED_BYTES)) return;
    this.isMerging = true;
    const merged = this.own;
    this.own = [];
    this.merge(merged)
      .catch(() => undefined)
      .finally(() => {
        this.isMerging = false;
      });
  }

  private async merge(parts: { group: Group; written: Written[] }[]): Promise<void> {
    const written = parts.flatMap((part) => part.written);
    const time = padded((written[0] as Written).entry[2], 14);
    const group: Group = { key: `${this.prefix}${time}-${this.writer}-${parts.length}.jsonl`, used: 0 };
    const bytes = encoded(written);
    await this.store.write(group.key, bytes);
    this.keep(group, bytes, written);
    const keys = parts.map((part) => part.group.key);
    await this.store.delete(keys);
    this.forget(keys);
  }

  private async list(): Promise<void> {
    const at = performance.now();
    const before = new Set(this.groups.keys());
    const keys = await keysBelow(this.store, this.prefix);
    const fresh = keys.filter((key) => !this.groups.has(key));
    for await (const read of readAhead(fresh, (key) => this.readHead(key))) {
      if (read === null || this.groups.has(read.key)) continue;
      const group: Group = { key: read.key, used: 0 };
      this.groups.set(read.key, group);
      this.add(group, read.head, read.entries);
    }
    for (const key of keys) before.delete(key);
    this.forget(before);
    this.listedAt = at;
  }

  /** Forgets groups that are there no more, with what is in no other group. */
  private forget(keys: Iterable<string>): void {
    const gone = new Set<Group>();
    for (const key of keys) {
      const group = this.groups.get(key);
      this.groups.delete(key);
      if (group !== undefined && group.used > 0) gone.add(group);
    }
    if (gone.size === 0) return;
    for (const [key, { group }] of this.places) if (gone.has(group)) this.places.delete(key);
  }

  /** Reads a group's first line; null if it was merged since. */
  private async readHead(key: string): Promise<{ key: string; head: number; entries: Entry[] } | null> {
    for (let length = HEAD_BYTES; ; length *= 4) {
      const bytes = await this.store.readRange(key, 0, length);
      if (bytes === null) return null;
      const read = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const head = headLength(read);
      if (head > 0) {
        if (read.byteLength < length) this.bodies.set(key, read);
        return { key, head, entries: parseJson<Entry[]>(read.toString('utf8', 0, head), this.store, key) };
      }
      if (read.byteLength < length) throw damagedFile(this.store, key, 'its first line has no end');
    }
  }

  private async bytesAt(key: string, start: number, length: number): Promise<Buffer | null> {
    const known = this.bodies.get(key);
    if (known !== undefined) return known.subarray(start, start + length);
    const bytes = await this.store.readRange(key, start, length);
    if (bytes === null || bytes.byteLength < length) return null;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

/** Returns the bytes of a group. */
function encoded(written: readonly Written[]): Buffer {
  const head = JSON.stringify(written.map(({ entry }) => entry));
  const newline = Buffer.from('\n');
  return Buffer.concat([Buffer.from(head), newline, ...written.flatMap(({ body }) => [body, newline])]);
}

/** Returns the bytes of a group's first line with its end; 0 if that is not among the given ones. */
function headLength(bytes: Buffer): number {
  return bytes.indexOf('\n') + 1;
}

/** Reports whether a change of a key counts and not the known one. */
function counts({ at, change }: Pick<Place, 'at' | 'change'>, known: Place): boolean {
  // In another group: these were merged.
  if (at === known.at && change === known.change) return true;
  if (change !== 'first') return at >= known.at;
  return known.change === 'first' ? at < known.at : known.change === 'deleted' && at > known.at;
}
