import type { FolderContents } from '../../activities/folder-contents.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { artifactKeys } from '../../storage/paths.js';
import { keysBelow } from '../../storage/read-ahead.js';
import { readRows } from '../../storage/stored-file.js';
import type { CellRow } from './contracts.js';

/** Counts the cells of an interrupted sweep that have ended. */
export async function contentsOfSweep(store: ArtifactStore): Promise<FolderContents> {
  return { cells: (await keysBelow(store, 'cells/')).length };
}

/** Lists the addresses of the cells of a sweep that has ended, as far as they have results. */
export async function cellsIn(store: ArtifactStore): Promise<string[]> {
  const addresses: string[] = [];
  for await (const { artifacts } of readRows<CellRow>(store, artifactKeys.results)) {
    if (artifacts !== null) addresses.push(artifacts);
  }
  return addresses;
}
