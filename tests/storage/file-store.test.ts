import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, mkdir, mkdtemp, open, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isTemporaryName, temporaryName } from '../../src/storage/atomic-write.js';
import { FileStore, fileError } from '../../src/storage/file-store.js';
import { keysOf, testArtifactStore } from './artifact-store-contract.js';

let scratch: string;
let counter = 0;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reprise file store '));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

function newFolder(): string {
  counter += 1;
  return join(scratch, `store ${counter}`);
}

async function temporaryFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter((name) => isTemporaryName(name.split('/').at(-1) ?? ''));
}

describe('FileStore', () => {
  testArtifactStore({
    makeStore: async () => new FileStore(newFolder()),
    leftovers: (store) => temporaryFiles(new URL(`${store.uri}/`).pathname.replaceAll('%20', ' ')),
  });

  test('its address is a file URL without a trailing slash', () => {
    const folder = newFolder();
    expect(new FileStore(`${folder}/`).uri).toBe(pathToFileURL(folder).href);
  });

  test('reading, listing and deleting do not make its folder', async () => {
    const folder = newFolder();
    const store = new FileStore(folder);
    expect(await store.read('a')).toBeNull();
    expect(await keysOf(store)).toEqual([]);
    await store.delete(['a/b']);
    await expect(access(folder)).rejects.toThrow('ENOENT');
  });

  test('deleting prunes the folders it empties, but neither a used one nor the root', async () => {
    const folder = newFolder();
    const store = new FileStore(folder);
    await store.write('a/b/c/1', 'x');
    await store.write('a/2', 'x');
    await store.delete(['a/b/c/1']);
    expect((await readdir(folder, { recursive: true })).sort()).toEqual(['a', 'a/2']);
    await store.delete(['a/2']);
    expect(await readdir(folder)).toEqual([]);
  });

  test('writers and deleters of one folder do not disturb each other', async () => {
    const store = new FileStore(newFolder());
    await Promise.all(
      Array.from({ length: 8 }, async (_, lane) => {
        for (let round = 0; round < 50; round += 1) {
          await store.write(`shared/folder/${lane}`, 'x');
          await store.delete([`shared/folder/${lane}`]);
        }
      }),
    );
    expect(await keysOf(store)).toEqual([]);
  });

  test('an orphaned temporary file is invisible, and swept once its owner is known to be gone', async () => {
    const folder = newFolder();
    const store = new FileStore(folder);
    await store.write('parts/1', 'x');
    const orphanOf = (processId: number, place?: string) => {
      const [, host, own] = temporaryName().split('-') as [string, string, string];
      return `.reprise-${host}-${place ?? own}-${processId}-${randomBytes(8).toString('hex')}.tmp`;
    };
    const gone = spawnSync('true').pid;
    // A container of this host's name, whose processes have other numbers.
    const elsewhere = '00000000';
    const names = {
      youngOrphan: orphanOf(gone),
      youngElsewhere: orphanOf(gone, elsewhere),
      oldElsewhere: orphanOf(gone, elsewhere),
      inProgress: temporaryName(),
    };
    for (const name of Object.values(names)) await writeFile(join(folder, 'parts', name), 'half');
    const minutesAgo = new Date(Date.now() - 5 * 60_000);
    const { oldElsewhere, inProgress } = names;
    for (const name of [oldElsewhere, inProgress])
      await utimes(join(folder, 'parts', name), minutesAgo, minutesAgo);

    expect(await keysOf(store)).toEqual(['parts/1']);
    expect((await temporaryFiles(folder)).sort()).toEqual(
      [`parts/${names.youngElsewhere}`, `parts/${inProgress}`].sort(),
    );

    const daysAgo = new Date(Date.now() - 2 * 24 * 3_600_000);
    await utimes(join(folder, 'parts', names.inProgress), daysAgo, daysAgo);
    await keysOf(store);
    expect(await temporaryFiles(folder)).toEqual([`parts/${names.youngElsewhere}`]);
  });

  test('a key below a file and a key in the place of a folder are final errors', async () => {
    const store = new FileStore(newFolder());
    await store.write('a', 'x');
    await store.write('folder/b', 'x');
    await expect(store.write('a/b', 'x')).rejects.toMatchObject({
      name: 'StorageError',
      retryable: false,
      key: 'a/b',
    });
    await expect(store.write('folder', 'x')).rejects.toMatchObject({
      name: 'StorageError',
      retryable: false,
    });
  });

  test('a folder that cannot be made is a final error that names key, folder and reason', async () => {
    const store = new FileStore('/proc/reprise-cannot-write-here');
    await expect(store.write('metrics.json', '{}')).rejects.toMatchObject({
      name: 'StorageError',
      uri: 'file:///proc/reprise-cannot-write-here',
      key: 'metrics.json',
    });
  });

  test.each([
    ['ENOSPC', { retryable: true, mayPass: true }],
    ['EDQUOT', { retryable: true, mayPass: true }],
    ['EIO', { retryable: true, mayPass: true }],
    ['EMFILE', { retryable: true, mayPass: true }],
    ['ESTALE', { retryable: true, mayPass: true }],
    ['ENOENT', { retryable: true, mayPass: true }],
    ['EACCES', { retryable: false, mayPass: true }],
    ['EROFS', { retryable: false, mayPass: true }],
    ['ENOTDIR', { retryable: false, mayPass: true }],
    ['ENAMETOOLONG', { retryable: false, mayPass: false }],
    ['EINVAL', { retryable: false, mayPass: false }],
  ])('%s: whether it may pass by itself, and whether a person can mend it', (code, remedy) => {
    const error = Object.assign(new Error('refused'), { code });
    expect(fileError(error, 'write', 'file:///folder', 'key')).toMatchObject(remedy);
  });

  test('a full disk fails the write as worth a retry, leaves nothing behind, and a freed one takes it', async () => {
    const disk = await smallDisk();
    try {
      const store = new FileStore(disk.folder);
      await store.write('kept', 'before');
      await disk.fill();
      const full = {
        name: 'StorageError',
        code: 'ENOSPC',
        retryable: true,
        message: expect.stringContaining('the disk is full'),
      };
      await expect(store.write('kept', 'x'.repeat(300_000))).rejects.toMatchObject(full);
      async function* rows() {
        for (let index = 0; index < 100; index += 1) yield 'x'.repeat(10_000);
      }
      await expect(store.writeStream('results.jsonl', rows())).rejects.toMatchObject({
        ...full,
        key: 'results.jsonl',
      });
      expect(await store.readText('kept')).toBe('before');
      expect(await store.exists('results.jsonl')).toBe(false);
      expect(await temporaryFiles(disk.folder)).toEqual([]);
      await disk.free();
      await store.write('kept', 'after');
      expect(await store.readText('kept')).toBe('after');
    } finally {
      await disk.release();
    }
  });
});

interface SmallDisk {
  folder: string;
  fill(): Promise<void>;
  free(): Promise<void>;
  release(): Promise<void>;
}

/** A file system of 1 MB where this user may mount one, else a folder whose writes are made to fail as on a full disk. */
async function smallDisk(): Promise<SmallDisk> {
  const folder = newFolder();
  await mkdir(folder);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0) {
    const ballast = join(folder, 'ballast');
    return {
      folder,
      fill: () => writeFile(ballast, Buffer.alloc(900_000)),
      free: () => rm(ballast),
      release: async () => void spawnSync('umount', [folder]),
    };
  }
  const handle = await open(join(scratch, 'any'), 'w');
  const prototype = Object.getPrototypeOf(handle) as { writeFile: () => Promise<void> };
  await handle.close();
  const failure = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  let spy: { mockRestore(): void } | undefined;
  return {
    folder,
    fill: async () => {
      spy = vi.spyOn(prototype, 'writeFile').mockRejectedValue(failure);
    },
    free: async () => spy?.mockRestore(),
    release: async () => spy?.mockRestore(),
  };
}
