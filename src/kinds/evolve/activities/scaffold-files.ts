import { scaffoldSupport } from '../../../sandboxes/scaffold-support.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { readableJson } from '../../../storage/json-lines.js';
import { keysBelow } from '../../../storage/read-ahead.js';
import { type Generation, scaffoldFile, scaffoldFolder, scaffoldSupportFiles } from '../evolution/layout.js';
import type { ScaffoldFiles, ScaffoldMetadata } from '../evolution/types.js';

export interface ScaffoldPlace {
  iteration: number;
  generation: Generation;
  id: string;
}

const SUPPORT: readonly string[] = Object.values(scaffoldSupportFiles);

/** Reads every file below a scaffold's folder, by relative path. */
async function wholeFolder(store: ArtifactStore, prefix: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const { key } of store.list(prefix)) {
    const text = await store.readText(key);
    if (text !== null) files[key.slice(prefix.length)] = text;
  }
  return files;
}

const prefixOf = ({ iteration, generation, id }: ScaffoldPlace) =>
  `${scaffoldFolder(iteration, generation, id)}/`;

/** Reads the scaffold's own files below a prefix, as its author wrote them. */
export async function filesBelow(store: ArtifactStore, prefix = ''): Promise<ScaffoldFiles> {
  const files = await wholeFolder(store, prefix);
  return Object.fromEntries(Object.entries(files).filter(([path]) => !SUPPORT.includes(path)));
}

/** Reads the scaffold's own files, as its author wrote them. */
export function readScaffold(store: ArtifactStore, place: ScaffoldPlace): Promise<ScaffoldFiles> {
  return filesBelow(store, prefixOf(place));
}

/**
 * Writes a scaffold with the files that Reprise adds, in place of any earlier files. `metadata.json` is written last:
 * with it, the folder is complete.
 */
export async function writeScaffold(
  store: ArtifactStore,
  { iteration, generation, id }: ScaffoldPlace,
  { files, metadata }: { files: ScaffoldFiles; metadata: ScaffoldMetadata },
): Promise<void> {
  const all = { ...files, ...(await scaffoldSupport()) };
  for (const [path, text] of Object.entries(all)) {
    await store.write(scaffoldFile(iteration, generation, id, path), text);
  }
  const path = scaffoldFile(iteration, generation, id, scaffoldSupportFiles.metadata);
  const written = new Set([
    path,
    ...Object.keys(all).map((name) => scaffoldFile(iteration, generation, id, name)),
  ]);
  await deleteOthers(store, `${scaffoldFolder(iteration, generation, id)}/`, written);
  await store.write(path, readableJson(metadata));
}

/** Deletes files below a folder that do not belong there any more. */
async function deleteOthers(
  store: ArtifactStore,
  folder: string,
  belonging: ReadonlySet<string>,
): Promise<void> {
  const others = (await keysBelow(store, folder)).filter((key) => !belonging.has(key));
  if (others.length > 0) await store.delete(others);
}

/** Copies a scaffold with all of its files to keys of the caller's choice. */
export async function copyScaffold(
  store: ArtifactStore,
  from: ScaffoldPlace,
  keyOf: (path: string) => string,
): Promise<void> {
  for (const [path, text] of Object.entries(await wholeFolder(store, prefixOf(from)))) {
    await store.write(keyOf(path), text);
  }
}
