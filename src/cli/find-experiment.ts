import { InvalidInputError } from '../config/errors.js';
import { withoutTrailing } from '../contracts/trailing.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { openStore } from '../storage/open.js';

/** Pattern of names below a results folder. */
const NAME = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)*$/;

/** True if the id contains a character that only addresses have. */
export function isAddress(id: string): boolean {
  return /[/\\:]/.test(id);
}

/**
 * Finds the folder of an experiment: an address, or a name below one of the results folders. It is the first one that
 * has `file`.
 * @throws InvalidInputError where there is none.
 */
export async function findExperiment(
  id: string,
  { folders, file, kind }: { folders: readonly string[]; file: string; kind: string },
): Promise<ArtifactStore> {
  const name = withoutTrailing(id, /\//);
  const candidates = [
    ...(isAddress(name) ? [openStore(name)] : []),
    ...(NAME.test(name) ? folders.map((folder) => openStore(folder).within(name)) : []),
  ];
  for (const store of candidates) if (await store.exists(file)) return store;
  throw new InvalidInputError(
    `there is no finished ${kind} '${id}' in ${folders.join(' or ')}; name its folder, or the folder of results with --results-dir`,
  );
}
