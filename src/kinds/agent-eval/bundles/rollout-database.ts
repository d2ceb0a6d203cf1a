import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { InfrastructureError } from '../../../contracts/infrastructure-error.js';
import { SqliteDatabase } from '../../../databases/sqlite-database.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { padded, toolCallsPrefix } from '../../../storage/paths.js';
import { keysBelow } from '../../../storage/read-ahead.js';
import { readJson } from '../../../storage/stored-file.js';
import type { DatabaseVersion } from '../contracts.js';
import type { BundleRow, ToolOutcome } from './contracts.js';
import type { ModelToolCall, ToolCallPlace, ToolRan } from './run-tool-call.js';
import { seedDatabase } from './seed-database.js';

/** Record of a tool call, written once. */
export interface ToolCallRecord {
  call: ModelToolCall;
  outcome: ToolOutcome;
  to: DatabaseVersion;
  /** Pages of the database after the call, in base64; absent if an earlier record holds the same. */
  pages?: string;
}

/** Megabytes of databases that a worker remembers of an experiment. */
const REMEMBERED_MB = 64;

/** What a worker has lately read and written of an experiment's databases. A key has the same content for ever. */
export class KnownDatabases {
  /** Bytes by key. Nobody writes into them. */
  readonly bytes = new LRUCache<string, Uint8Array>({
    maxSize: REMEMBERED_MB * 2 ** 20,
    sizeCalculation: ({ byteLength }) => Math.max(1, byteLength),
  });
  /** Hash of the content by key: rollouts of a row that did the same end with the same bytes. */
  readonly hashes = new LRUCache<string, string>({ max: 10_000 });
  /** Key of the record that holds a database, by the SHA-256 of its bytes: rollouts that did the same share it. */
  readonly holders = new LRUCache<string, string>({ max: 10_000 });
}

/** Bytes that are compared and stored together: one SQLite page, unless a seed sets another page size. */
const PAGE = 4096;
const NUMBER = 4;

/**
 * Encodes a database as the pages that differ from those of the one it was made from: its length, then each page after
 * its number. A call changes only a few pages of a seed of megabytes.
 */
export function changedPages(base: Uint8Array, bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [number(bytes.length)];
  for (let page = 0; page * PAGE < bytes.length; page += 1) {
    const [before, after] = [pageOf(base, page), pageOf(bytes, page)];
    if (Buffer.compare(before, after) !== 0) parts.push(number(page), after);
  }
  return Buffer.concat(parts);
}

/** Restores the database that {@link changedPages} encoded. */
export function withPages(base: Uint8Array, changed: Uint8Array): Uint8Array {
  const read = Buffer.from(changed.buffer, changed.byteOffset, changed.length);
  const bytes = new Uint8Array(read.readUInt32LE(0));
  bytes.set(base.subarray(0, bytes.length));
  for (let at = NUMBER; at < changed.length; ) {
    const start = read.readUInt32LE(at) * PAGE;
    const page = changed.subarray(at + NUMBER, at + NUMBER + Math.min(PAGE, bytes.length - start));
    bytes.set(page, start);
    at += NUMBER + page.length;
  }
  return bytes;
}

function pageOf(bytes: Uint8Array, page: number): Uint8Array {
  return bytes.subarray(page * PAGE, (page + 1) * PAGE);
}

function number(value: number): Uint8Array {
  const bytes = Buffer.alloc(NUMBER);
  bytes.writeUInt32LE(value);
  return bytes;
}

/**
 * Keys of the databases of a bundle's rows, below an experiment's folder. They contain row ids unchanged, since the
 * loader has checked these.
 */
function rowFolder(rowId: string): string {
  return `runs/${rowId}`;
}

/** Returns the key of the seeded database that every rollout of the row begins with. */
export function baseKey(rowId: string): string {
  return `${rowFolder(rowId)}/base.db`;
}

/** Returns the key of the database at the end of a rollout. */
function rolloutKey(rowId: string, rollout: string): string {
  return `${rowFolder(rowId)}/roll_${rollout}.db`;
}

/** Returns the folder of the records of a rollout's tool calls. */
function recordsFolder(rowId: string, rollout: string): string {
  return `${toolCallsPrefix()}${rowId}/${rollout}/`;
}

/** Returns the key of the record of the tool call that made a version. */
function recordKey(rowId: string, rollout: string, version: number): string {
  return `${recordsFolder(rowId, rollout)}${padded(version)}.json`;
}

/**
 * The database of one rollout, in versions: a tool call maps version n to n + 1. Nothing is changed in place: a
 * repeated call, of any worker, begins at version n again, and only the first record of a version counts. A crash
 * leaves at most unreferenced bytes behind.
 */
export class RolloutDatabase {
  /**
   * @param store the experiment's folder
   * @param rollout names the rollout within its row
   * @param draws seed of random values; default: the name
   * @param known of the same experiment
   */
  constructor(
    private readonly store: ArtifactStore,
    private readonly row: Pick<BundleRow, 'id' | 'seed_sql' | 'now'>,
    private readonly rollout: string,
    private readonly draws: string = rollout,
    private readonly known = new KnownDatabases(),
  ) {}

  /** Returns version 0, which the first rollout of the row that needs it seeds. */
  async begin(): Promise<DatabaseVersion> {
    const database = baseKey(this.row.id);
    if (!this.known.bytes.has(database) && !(await this.store.exists(database))) {
      const seeded = await seedDatabase(this.row);
      try {
        await this.store.write(database, seeded.serialize(), { ifAbsent: true });
      } finally {
        seeded.close();
      }
    }
    return { version: 0, database };
  }

  /** Opens a copy of a version, to inspect or judge it; changes are lost when it is closed. */
  async open(at: DatabaseVersion, options: { readOnly?: boolean } = {}): Promise<SqliteDatabase> {
    return SqliteDatabase.open(await this.read(at), {
      now: Date.parse(this.row.now),
      seed: this.seedOf(at.version + 1),
      ...options,
    });
  }

  /**
   * Runs a tool call, or returns the recorded outcome if it was run before.
   * @param run runs it on a copy of a database
   * @throws InfrastructureError or StorageError; the same call can then be repeated.
   */
  async call(
    from: DatabaseVersion,
    call: ModelToolCall,
    run: (before: Uint8Array, place: ToolCallPlace, call: ModelToolCall) => Promise<ToolRan>,
  ): Promise<{ outcome: ToolOutcome; to: DatabaseVersion }> {
    const version = from.version + 1;
    const known = await this.recorded(version);
    if (known !== null) return this.sameCall(known, call);
    const place = { row: { now: this.row.now }, seed: this.seedOf(version) };
    const { outcome, bytes } = await run(await this.read(from), place, call);
    const key = recordKey(this.row.id, this.rollout, version);
    const sha256 = bytes === null ? '' : createHash('sha256').update(bytes).digest('hex');
    const database = bytes === null ? from.database : (this.known.holders.get(sha256) ?? key);
    const record: ToolCallRecord = { call, outcome, to: { version, database } };
    const isHolder = bytes !== null && database === key;
    if (isHolder) {
      const pages = changedPages(await this.read(await this.begin()), bytes);
      record.pages = Buffer.from(pages).toString('base64');
    }
    if (await this.store.write(key, JSON.stringify(record), { ifAbsent: true })) {
      if (isHolder) {
        this.known.bytes.set(key, bytes);
        this.known.holders.set(sha256, key);
      }
      return this.answer(record);
    }
    // Another worker, which was considered dead, was faster.
    return this.sameCall((await this.recorded(version)) ?? record, call);
  }

  /** Writes the database of a rollout's end under the rollout's name. @returns its key and content hash */
  async finish(at: DatabaseVersion): Promise<{ database: string; content_hash: string }> {
    const database = rolloutKey(this.row.id, this.rollout);
    await this.store.write(database, await this.read(at));
    return { database, content_hash: await this.contentHash(at) };
  }

  private async contentHash(at: DatabaseVersion): Promise<string> {
    const known = this.known.hashes.get(at.database);
    if (known !== undefined) return known;
    const opened = await this.open(at, { readOnly: true });
    try {
      const hash = opened.contentHash();
      this.known.hashes.set(at.database, hash);
      return hash;
    } finally {
      opened.close();
    }
  }

  /** Returns a version and the outcome of the call that made it; null if no call has made it yet. */
  async made(version: number): Promise<{ outcome: ToolOutcome; to: DatabaseVersion } | null> {
    const record = await this.recorded(version);
    return record === null ? null : this.answer(record);
  }

  /** Reads the bytes of a version. @throws InfrastructureError if they are gone. */
  async read({ version, database }: DatabaseVersion): Promise<Uint8Array> {
    const known = this.known.bytes.get(database);
    if (known !== undefined) return known;
    const there = (found: Uint8Array | null, key: string): Uint8Array => {
      if (found !== null) return found;
      throw new InfrastructureError(
        `version ${version} of ${this.row.id} is gone: there is no ${key}. Its folder was changed; the same command continues with what is there`,
      );
    };
    const seeded = baseKey(this.row.id);
    const base = this.known.bytes.get(seeded) ?? there(await this.store.read(seeded), seeded);
    this.known.bytes.set(seeded, base);
    if (database === seeded) return base;
    const bytes = withPages(base, there(await pagesIn(this.store, database), database));
    this.known.bytes.set(database, bytes);
    return bytes;
  }

  private seedOf(version: number): string {
    return `${this.row.id}/${this.draws}/${version}`;
  }

  private recorded(version: number): Promise<ToolCallRecord | null> {
    return readJson<ToolCallRecord>(this.store, recordKey(this.row.id, this.rollout, version));
  }

  private sameCall(record: ToolCallRecord, call: ModelToolCall) {
    if (record.call.name === call.name && record.call.arguments === call.arguments)
      return this.answer(record);
    throw new Error(
      `version ${record.to.version} of ${this.row.id}, rollout ${this.rollout}, was made by another call of ${record.call.name}`,
    );
  }

  private answer({ outcome, to }: ToolCallRecord): { outcome: ToolOutcome; to: DatabaseVersion } {
    return { outcome, to };
  }
}

/** Reads the changed pages that the record of a tool call holds; null if it is not there. */
async function pagesIn(store: ArtifactStore, key: string): Promise<Uint8Array | null> {
  const record = await readJson<ToolCallRecord>(store, key);
  return record?.pages === undefined ? null : Buffer.from(record.pages, 'base64');
}

/** Version of a rollout's database, and the tool call that made it. */
export interface WrittenVersion {
  /** Number of the tool call within the rollout, from 1. */
  number: number;
  tool: string;
  ok: boolean;
  bytes: Uint8Array;
}

/**
 * Reads the versions of a rollout's database in their order, of those tool calls that wrote to it.
 * @param base database that the rollout began with
 */
export async function* versionsOf(
  store: ArtifactStore,
  { row, rollout, base }: { row: string; rollout: string; base: Uint8Array },
): AsyncGenerator<WrittenVersion> {
  let last = baseKey(row);
  for (const key of await keysBelow(store, recordsFolder(row, rollout))) {
    const record = await readJson<ToolCallRecord>(store, key);
    if (record === null || record.to.database === last) continue;
    last = record.to.database;
    const pages = last === baseKey(row) ? null : await pagesIn(store, last);
    const bytes = pages === null ? base : withPages(base, pages);
    yield { number: record.to.version, tool: record.call.name, ok: record.outcome.ok, bytes };
  }
}
