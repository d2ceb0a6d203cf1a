import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { copyArtifact } from '../../src/storage/copy-artifact.js';
import { FileStore } from '../../src/storage/file-store.js';

let scratch: string;
let source: FileStore;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reprise-copy-'));
  source = new FileStore(join(scratch, 'from'));
  await source.write('vectors.jsonl', 'a line\n'.repeat(100_000));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** What this process holds open below the scratch folder. */
async function openFiles(): Promise<string[]> {
  const numbers = await readdir('/proc/self/fd');
  const paths = await Promise.all(
    numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')),
  );
  return paths.filter((path) => path.startsWith(scratch));
}

async function untilAllClosed(): Promise<void> {
  await vi.waitFor(async () => {
    await turn();
    expect(await openFiles()).toEqual([]);
  });
}

describe('a copy', () => {
  test('holds the same, and keeps nothing open', async () => {
    const target = new FileStore(join(scratch, 'to'));
    const from = { store: source, key: 'vectors.jsonl' };
    await copyArtifact(from, { store: target, key: 'beside.jsonl' });
    expect(await target.readText('beside.jsonl')).toBe(await source.readText('vectors.jsonl'));
    await untilAllClosed();
  });

  test('of nothing is none', async () => {
    const target = new FileStore(join(scratch, 'none'));
    const from = { store: source, key: 'absent.jsonl' };
    await copyArtifact(from, { store: target, key: 'beside.jsonl' });
    expect(await target.exists('beside.jsonl')).toBe(false);
  });

  test('that is refused keeps nothing open', async () => {
    await writeFile(join(scratch, 'no folder'), 'a file');
    const target = new FileStore(join(scratch, 'no folder'));
    const from = { store: source, key: 'vectors.jsonl' };
    await expect(copyArtifact(from, { store: target, key: 'beside.jsonl' })).rejects.toThrow('beside.jsonl');
    await untilAllClosed();
  });
});
