import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { loadedModules } from '../../bundles/module-loader.js';
import type { CodeChange } from '../../contracts/agent-eval-results.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { bundleCodeKey } from '../../storage/paths.js';

/** The bundles' own modules as the last execution found them, and when they had changed since the one before. */
interface StoredCode {
  /** SHA-256 by path. */
  modules: Record<string, string>;
  changes: CodeChange[];
}

async function storedCode(store: ArtifactStore): Promise<StoredCode> {
  const text = await store.readText(bundleCodeKey());
  return text === null ? { modules: {}, changes: [] } : (JSON.parse(text) as StoredCode);
}

/** A module's hash; null where it is gone. */
async function hashOf(path: string): Promise<string | null> {
  const bytes = await readFile(path).catch(() => null);
  return bytes === null ? null : createHash('sha256').update(bytes).digest('hex');
}

function shownIn(folders: readonly string[], path: string): string {
  const folder = folders.find((one) => path.startsWith(join(one, '/')));
  return folder === undefined ? path : join(basename(folder), relative(folder, path));
}

/**
 * Notes tools and rewards of bundles that have changed since an earlier execution: a result that both versions had a
 * part in is to say so. Call it when the bundles are loaded. May be repeated: a change is noted once.
 * @param folders of the bundles
 * @param now `at`: ISO 8601; `rollouts`: how many are finished
 * @returns the change; null where there is none.
 */
export async function noteCodeChange(
  store: ArtifactStore,
  folders: readonly string[],
  now: Pick<CodeChange, 'at' | 'rollouts'>,
): Promise<CodeChange | null> {
  const { modules: before, changes } = await storedCode(store);
  const paths = new Set([...folders.flatMap(loadedModules), ...Object.keys(before)]);
  const hashes = await Promise.all(
    [...paths].sort().map(async (path) => [path, await hashOf(path)] as const),
  );
  const changed = hashes.filter(([path, hash]) => path in before && before[path] !== hash);
  const change =
    changed.length === 0 ? null : { ...now, modules: changed.map(([path]) => shownIn(folders, path)) };
  const modules = Object.fromEntries(hashes.filter(([, hash]) => hash !== null));
  const stored = { modules, changes: change === null ? changes : [...changes, change] };
  await store.write(bundleCodeKey(), JSON.stringify(stored));
  return change;
}

/** What {@link noteCodeChange} has noted, in the order of time. */
export async function codeChanges(store: ArtifactStore): Promise<CodeChange[]> {
  return (await storedCode(store)).changes;
}
