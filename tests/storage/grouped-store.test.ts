import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ArtifactStore, ListedArtifact, WriteOptions } from '../../src/storage/artifact-store.js';
import { GroupedStore } from '../../src/storage/grouped-store.js';
import { beginUnit, continuesOthers, withinUnit } from '../../src/storage/in-unit.js';
import { MemoryStore } from '../../src/storage/memory-store.js';
import { callKey, callsPrefix } from '../../src/storage/paths.js';
import { keysOf, listAll, testArtifactStore } from './artifact-store-contract.js';

const memory = () => new MemoryStore('file:///in-this-process');
const key = (name: string | number) => callKey(`ab-${name}`);
/** Runs work as a unit of its own. */
const asUnit = <Value>(work: () => Promise<Value>) => withinUnit(beginUnit(), work);

/** Store of everything below a folder whose objects may be stored together; its work may be that of a unit. */
class Below implements ArtifactStore {
  readonly uri: string;
  constructor(
    private readonly store: ArtifactStore,
    private readonly run: <Value>(work: () => Promise<Value>) => Promise<Value>,
    private readonly folder = callsPrefix(),
  ) {
    this.uri = `${store.uri}/${folder}`.replace(/\/$/, '');
  }

  private do<Key extends keyof ArtifactStore>(name: Key) {
    return (first: string, ...rest: unknown[]) =>
      this.run(() =>
        (this.store[name] as (...args: unknown[]) => Promise<never>)(this.folder + first, ...rest),
      );
  }

  read = this.do('read');
  readText = this.do('readText');
  readRange = this.do('readRange');
  openRead = this.do('openRead');
  exists = this.do('exists');
  writeStream = this.do('writeStream');
  deleteFolder = this.do('deleteFolder');
  sweep = () => this.store.sweep();
  write = (name: string, body: Uint8Array | string, options?: WriteOptions): Promise<boolean> =>
    this.do('write')(name, body, options);

  delete = (keys: string[]) => this.run(() => this.store.delete(keys.map((one) => this.folder + one)));
  folders = (folder: string) => this.store.folders((this.folder + folder).replace(/\/$/, ''));
  within = (prefix: string) => {
    this.store.within(prefix);
    return new Below(this.store, this.run, `${this.folder}${prefix}/`);
  };

  async *list(prefix: string): AsyncGenerator<ListedArtifact> {
    for (const { key: found, bytes } of await this.run(() => listAll(this.store, this.folder + prefix)))
      yield { key: found.slice(this.folder.length), bytes };
  }
}

describe('a store whose objects are stored alone', () => {
  testArtifactStore({
    makeStore: async () => new Below(new GroupedStore(memory()), (work) => work()),
    leftovers: async () => [],
  });
});

describe('a store whose objects a unit stores together', () => {
  testArtifactStore({
    makeStore: async () => new Below(new GroupedStore(memory()), asUnit),
    leftovers: async () => [],
  });
});

describe('what is stored together', () => {
  test('many records are few objects, each of which any other process reads as its own', async () => {
    const bare = memory();
    const names = Array.from({ length: 100 }, (_, name) => name);
    const store = new GroupedStore(bare);
    await asUnit(() => Promise.all(names.map((name) => store.write(key(name), `{"name":${name}}`))));
    expect((await keysOf(bare)).length).toBeLessThan(5);
    const other = new GroupedStore(bare);
    expect(await keysOf(other, callsPrefix())).toEqual(names.map(key).sort());
    expect(await other.readText(key(42))).toBe('{"name":42}');
    expect(await other.exists(key(42))).toBe(true);
    expect(await other.exists(key(100))).toBe(false);
    expect((await listAll(other, key(42)))[0]).toEqual({ key: key(42), bytes: 11 });
  });

  test('a record is not told to be stored before its group is', async () => {
    const bare = memory();
    let release: () => void = () => undefined;
    const write = bare.write.bind(bare);
    bare.write = async (...given) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return write(...given);
    };
    let told = false;
    const stored = asUnit(() => new GroupedStore(bare).write(key('a'), '1')).then(() => {
      told = true;
    });
    await sleep(50);
    expect(told).toBe(false);
    release();
    await stored;
    expect(await new GroupedStore(bare).readText(key('a'))).toBe('1');
  });

  test('a store that refuses refuses every record of the group, and each may be written again', async () => {
    const bare = memory();
    const write = bare.write.bind(bare);
    bare.write = async () => {
      throw new Error('the disk is full');
    };
    const store = new GroupedStore(bare);
    const both = () =>
      asUnit(() =>
        Promise.allSettled(['a', 'b'].map((name) => store.write(key(name), name, { ifAbsent: true }))),
      );
    expect((await both()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await store.readText(key('a'))).toBeNull();
    bare.write = write;
    expect(await both()).toEqual([
      { status: 'fulfilled', value: true },
      { status: 'fulfilled', value: true },
    ]);
    expect(await new GroupedStore(bare).readText(key('b'))).toBe('b');
  });

  test('of two processes that store the same record the earlier one is read, by every reader', async () => {
    const bare = memory();
    const [one, two] = [new GroupedStore(bare), new GroupedStore(bare)];
    const units = [beginUnit(), beginUnit()] as const;
    // Both have looked: neither has found anything.
    for (const [at, store] of [one, two].entries())
      expect(await withinUnit(units[at] as never, () => store.readText(key('a')))).toBeNull();
    await withinUnit(units[0], () => one.write(key('a'), 'first', { ifAbsent: true }));
    await sleep(2);
    await withinUnit(units[1], () => two.write(key('a'), 'second', { ifAbsent: true }));
    expect(await new GroupedStore(bare).readText(key('a'))).toBe('first');
    expect(await one.readText(key('a'))).toBe('first');
  });

  test('a unit that goes on with the work of another one sees what was stored since it began', async () => {
    const bare = memory();
    const [one, two] = [new GroupedStore(bare), new GroupedStore(bare)];
    await asUnit(async () => {
      expect(await two.readText(key('a'))).toBeNull();
      await asUnit(() => one.write(key('a'), '1', { ifAbsent: true }));
      expect(await two.readText(key('a'))).toBeNull();
      continuesOthers();
      expect(await two.readText(key('a'))).toBe('1');
      expect(await two.write(key('a'), '2', { ifAbsent: true })).toBe(false);
    });
  });

  test('a process that was frozen looks again before it stores what it was asked for', async () => {
    const bare = memory();
    const [frozen, other] = [new GroupedStore(bare), new GroupedStore(bare)];
    let now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    await asUnit(async () => {
      expect(await frozen.readText(key('a'))).toBeNull();
      await asUnit(() => other.write(key('a'), 'of the next attempt', { ifAbsent: true }));
      now += 60_000;
      expect(await frozen.write(key('a'), 'late', { ifAbsent: true })).toBe(false);
      expect(await frozen.readText(key('a'))).toBe('of the next attempt');
    });
  });

  test('a record that is replaced, deleted and written again is read so by others', async () => {
    const bare = memory();
    const store = new GroupedStore(bare);
    const seen = async () => new GroupedStore(bare).readText(key('a'));
    const reader = new GroupedStore(bare);
    const unit = beginUnit();
    const write = (body: string, ifAbsent: boolean) =>
      withinUnit(unit, () => store.write(key('a'), body, { ifAbsent }));
    await write('1', true);
    expect(await write('2', true)).toBe(false);
    await write('2', false);
    expect([await seen(), await reader.readText(key('a'))]).toEqual(['2', '2']);
    await withinUnit(unit, () => store.delete([key('a'), key('absent')]));
    expect([await seen(), await reader.readText(key('a'))]).toEqual([null, null]);
    expect(await keysOf(reader, callsPrefix())).toEqual([]);
    expect(await write('3', true)).toBe(true);
    expect([await seen(), await reader.readText(key('a'))]).toEqual(['3', '3']);
  });

  test('what is stored alone counts before it, and is known to units that begin later', async () => {
    const bare = memory();
    await bare.write(key('alone'), 'alone');
    const store = new GroupedStore(bare);
    await asUnit(() => store.write(key('both'), 'together', { ifAbsent: true }));
    await store.write(key('both'), 'alone');
    const other = new GroupedStore(bare);
    await asUnit(async () => {
      expect(await other.readText(key('alone'))).toBe('alone');
      expect(await other.readText(key('both'))).toBe('alone');
      expect(await other.write(key('alone'), 'later', { ifAbsent: true })).toBe(false);
      await other.write(key('alone'), 'replaced');
    });
    expect(await bare.readText(key('alone'))).toBe('replaced');
    expect(await keysOf(other, callsPrefix())).toEqual([key('alone'), key('both')]);
    await other.delete([key('both')]);
    expect(await new GroupedStore(bare).readText(key('both'))).toBeNull();
  });

  test('groups of a process are merged, and one who has listed them before reads on', async () => {
    const bare = memory();
    const [store, reader] = [new GroupedStore(bare), new GroupedStore(bare)];
    await asUnit(async () => {
      for (let name = 0; name < 70; name += 1) {
        await store.write(key(name), `{"name":${name}}`, { ifAbsent: true });
        if (name === 60) expect(await keysOf(reader, callsPrefix())).toHaveLength(61);
      }
    });
    await sleep(50);
    expect((await keysOf(bare)).length).toBeLessThan(15);
    const read = asUnit(() => Promise.all([0, 60].map((name) => reader.readText(key(name)))));
    expect(await read).toEqual(['{"name":0}', '{"name":60}']);
    for (const one of [store, reader, new GroupedStore(bare)])
      expect(await keysOf(one, callsPrefix())).toHaveLength(70);
  });

  test('thousands are deleted by one object, and a folder with all that is in it', async () => {
    const bare = memory();
    const store = new GroupedStore(bare);
    const names = Array.from({ length: 3000 }, (_, name) => key(name));
    await asUnit(() => Promise.all(names.map((name) => store.write(name, '1'))));
    const before = (await keysOf(bare)).length;
    await store.delete(names.slice(1));
    expect((await keysOf(bare)).length - before).toBe(1);
    const other = new GroupedStore(bare);
    expect(await keysOf(other, callsPrefix())).toEqual([key(0)]);
    await other.deleteFolder('pending');
    expect(await keysOf(bare)).toEqual([]);
    expect(await keysOf(store, callsPrefix())).toEqual([]);
  });
});
