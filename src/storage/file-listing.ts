import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compareKeys, type ListedArtifact } from './artifact-store.js';
import { systemCode } from './storage-error.js';
import { isTemporaryName, sweepOrphan } from './temporary-files.js';

const CONCURRENT_STATS = 64;

/** Lists the files below `root` whose path starts with `prefix`, sorted; sweeps orphaned temporary files. */
export async function* listFiles(root: string, prefix: string): AsyncGenerator<ListedArtifact> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  yield* listFolder(root, folder, prefix);
}

/** @param folder the folder's key with a trailing slash, or '' for the root. */
async function* listFolder(root: string, folder: string, prefix: string): AsyncGenerator<ListedArtifact> {
  let files: string[] = [];
  for (const key of await sortedKeys(root, folder)) {
    if (!key.startsWith(prefix)) continue;
    if (!key.endsWith('/')) {
      files.push(key);
      if (files.length < CONCURRENT_STATS) continue;
    }
    yield* await sizesOf(root, files);
    files = [];
    if (key.endsWith('/')) yield* listFolder(root, key, prefix);
  }
  yield* await sizesOf(root, files);
}

/** Returns the keys in one folder; a sub-folder ends with a slash, so that sorting here sorts the whole tree by key. */
async function sortedKeys(root: string, folder: string): Promise<string[]> {
  const path = join(root, folder);
  let entries: Dirent[];
  try {
    entries = await readdir(path, { withFileTypes: true });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
  const keys: string[] = [];
  for (const entry of entries) {
    if (isTemporaryName(entry.name)) await sweepOrphan(path, entry.name);
    else if (entry.isDirectory()) keys.push(`${folder}${entry.name}/`);
    else keys.push(`${folder}${entry.name}`);
  }
  return keys.sort(compareKeys);
}

async function sizesOf(root: string, keys: string[]): Promise<ListedArtifact[]> {
  const found = await Promise.all(
    keys.map(async (key) => {
      try {
        const status = await stat(join(root, key));
        return status.isFile() ? { key, bytes: status.size } : null;
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return null;
        throw error;
      }
    }),
  );
  return found.filter((artifact) => artifact !== null);
}
