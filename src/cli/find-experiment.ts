import { join, relative } from 'node:path';
import { locate } from '../activities/locate.js';
import { InvalidInputError } from '../config/errors.js';
import { homeFolder, resolveLocation } from '../config/paths.js';
import { withoutTrailing } from '../contracts/trailing.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { openStore } from '../storage/open.js';

/** Default folders of experiments. */
const RESULTS_FOLDERS = ['results', 'experiments'].map((name) =>
  join(relative(process.cwd(), homeFolder(process.cwd())), name),
);

/** The option `--results-dir` for commander. */
export const RESULTS_DIR = [
  '--results-dir <folder>',
  `where experiments are kept (default: ${RESULTS_FOLDERS.join(' or ')})`,
] as const;

/** Returns the folders in which experiments are looked for. @param given the value of `--results-dir` */
export function resultsFolders(given?: string): readonly string[] {
  return given === undefined ? RESULTS_FOLDERS : [given];
}

/** Pattern of names below a results folder. */
const NAME = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)*$/;

/** True if the id contains a character that only addresses have. */
export function isAddress(id: string): boolean {
  return /[/\\:]/.test(id);
}

interface Wanted {
  folders: readonly string[];
  /** File that the experiment's folder must have. */
  file: string;
  /** Noun for the message, such as `run`. */
  kind: string;
}

/**
 * Finds the folder of an experiment: an address, or a name below one of the results folders or the working folder. It is
 * the first one that has `file`.
 * @throws InvalidInputError where there is none.
 */
export async function findExperiment(id: string, { folders, file, kind }: Wanted): Promise<ArtifactStore> {
  const store = await experimentAt(id, folders, file);
  if (store !== null) return store;
  throw new InvalidInputError(
    `there is no finished ${kind} '${id}' in ${folders.join(' or ')}; name its folder, or the folder of results with --results-dir`,
  );
}

async function experimentAt(
  id: string,
  folders: readonly string[],
  file: string,
): Promise<ArtifactStore | null> {
  const name = withoutTrailing(id, /\//);
  const below = NAME.test(name) ? folders.map((folder) => openStore(folder).within(name)) : [];
  const place = isAddress(name) || NAME.test(name) ? [openStore(name)] : [];
  const candidates = isAddress(name) ? [...place, ...below] : [...below, ...place];
  for (const store of candidates) if (await store.exists(file)) return store;
  return null;
}

/**
 * Finds a file: its own address, or that of an experiment which has it, or the experiment's id.
 * @throws InvalidInputError where there is none.
 */
export async function findFile(
  given: string,
  { folders, file }: Omit<Wanted, 'kind'>,
): Promise<{ store: ArtifactStore; key: string }> {
  const place = locate(openStore, resolveLocation(given, process.cwd()));
  if (place.key !== '' && (await place.store.exists(place.key))) return place;
  const store = await experimentAt(given, folders, file);
  if (store !== null) return { store, key: file };
  throw new InvalidInputError(
    `there is no file at ${given}, and no experiment '${given}' with ${file} in ${folders.join(' or ')}; name its folder, or the folder of results with --results-dir`,
  );
}
